// A pool with lifelines whose workers share tasks by a queue that its package
// does not know.

#include "common/stealing/locked_deque.h"
#include "impl/glb_lifeline/pool.h"

namespace magpie {

using Pool = glb::Pool<LockedDeque, glb::PlaceKind::kGroup>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_glb_hybrid_simplest")

}  // namespace magpie
