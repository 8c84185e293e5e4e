// A program whose traffic depends only on its arguments: not on frames,
// addresses, or any time but the simulated.

#ifndef MAGPIE_TESTS_SIM_TRAFFIC_H_
#define MAGPIE_TESTS_SIM_TRAFFIC_H_

#include <cstddef>
#include <cstdint>

namespace magpie::sim_test {

inline constexpr size_t kTrafficHeapBytes = 1 << 20;

struct Traffic {
  uint64_t steps = 300;
  uint64_t checksum = 0;  // of what all ranks have read; the result
};

// Every rank does `steps` steps of a pseudo-random mix of all that rma.h and
// word.h have. For launch(): `traffic` is a Traffic*, which rank 0 completes.
int run_traffic(void* traffic);

}  // namespace magpie::sim_test

#endif  // MAGPIE_TESTS_SIM_TRAFFIC_H_
