// A pool of tasks with SWS queues, completion epochs and steal damping (icpp21
// §4).

#include "common/stealing/victim_selection.h"
#include "common/task_pool/pool.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie {

template <typename Slot>
using Queue = sws_queue::SwsQueue<Slot>;
using Pool = BagPool<Queue, RandomVictim>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_sws")

}  // namespace magpie
