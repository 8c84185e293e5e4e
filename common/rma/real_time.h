// Time on real networks, where ranks are processes: for backends.

#ifndef MAGPIE_COMMON_RMA_REAL_TIME_H_
#define MAGPIE_COMMON_RMA_REAL_TIME_H_

#include <cstdint>

namespace magpie::rma::internal {

// Makes the calling thread sleep for `nanoseconds`, and longer as far as the
// system's timers are coarse. A signal that is handled ends the sleep early.
void nap(uint64_t nanoseconds);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_REAL_TIME_H_
