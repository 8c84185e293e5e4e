// How much memory this machine can still give, so that a job that asks for more
// is refused in words instead of being killed in the middle.

#ifndef MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_
#define MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_

#include <cstdint>

namespace magpie::rma::internal {

// Bytes available to new processes: what the kernel reports, or the control
// group's limit where that is lower. UINT64_MAX when nothing is known.
uint64_t available_memory();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_
