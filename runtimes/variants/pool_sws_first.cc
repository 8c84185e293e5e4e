// A pool of tasks with SWS queues as they were first: a valid bit, no epochs
// (icpp21 §4.1).

#include "common/stealing/victim_selection.h"
#include "common/task_pool/pool.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie {

template <typename Slot>
using Queue =
    sws_queue::SwsQueue<Slot, sws_queue::Half, sws_queue::FirstVersion>;
using Pool = BagPool<Queue, RandomVictim>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_sws_first")

}  // namespace magpie
