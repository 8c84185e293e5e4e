#include "common/run/shared_max.h"

namespace magpie::internal {

void shared_max_is_not_allocated() {
  rma::fatal(
      "a SharedMax is used that was not allocated: prepare() of the root task "
      "calls allocate(), and tasks find the prepared root by pool_root<Root>() "
      "or root_task<Root>()");
}

void shared_max_of_nan() {
  rma::fatal("a SharedMax is raised to a NaN, which is no number");
}

}  // namespace magpie::internal
