// A pool of tasks in which every rank is a place, and sends tasks to the places
// that ask: lifeline-based global load balancing (hybrid_glb_apgas18 §2.2).

#include "impl/glb_lifeline/pool.h"
#include "impl/glb_lifeline/private_deque.h"

namespace magpie {

using Pool = glb::Pool<glb::PrivateDeque, glb::PlaceKind::kRank>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_glb")

}  // namespace magpie
