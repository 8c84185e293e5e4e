// Virtual time, in whole picoseconds, so that a byte at 12.5 GB/s (80 ps) is no
// fraction. 2^64 ps are 213 days.

#ifndef MAGPIE_COMMON_RMA_SIM_MACHINE_TIME_H_
#define MAGPIE_COMMON_RMA_SIM_MACHINE_TIME_H_

#include <cstdint>
#include <limits>

namespace magpie::rma::sim {

using Time = uint64_t;

inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr Time kNanosecond = 1000;
inline constexpr Time kMicrosecond = 1000 * kNanosecond;
inline constexpr Time kMillisecond = 1000 * kMicrosecond;
inline constexpr Time kSecond = 1000 * kMillisecond;

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_MACHINE_TIME_H_
