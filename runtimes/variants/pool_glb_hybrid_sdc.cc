// A pool of tasks whose places are workers of one node and a manager: stealing
// of halves within a place, lifelines between places (hybrid_glb_apgas18 §4),
// over SDC queues.

#include "impl/glb_lifeline/pool.h"
#include "impl/sws_queue/sdc_queue.h"

namespace magpie {

template <typename Slot>
using Queue = sws_queue::SdcQueue<Slot>;
using Pool = glb::Pool<Queue, glb::PlaceKind::kGroup>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_glb_hybrid_sdc")

}  // namespace magpie
