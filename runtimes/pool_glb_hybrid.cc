// A pool of tasks whose places are workers of one node and a manager: stealing
// of halves within a place, lifelines between places (hybrid_glb_apgas18 §4),
// over SWS queues.

#include "impl/glb_lifeline/pool.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie {

template <typename Slot>
using Queue = sws_queue::SwsQueue<Slot>;
using Pool = glb::Pool<Queue, glb::PlaceKind::kGroup>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_glb_hybrid")

}  // namespace magpie
