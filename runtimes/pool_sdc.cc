// A pool of tasks with SDC queues (icpp21 §3).

#include "common/stealing/victim_selection.h"
#include "common/task_pool/pool.h"
#include "impl/sws_queue/sdc_queue.h"

namespace magpie {

template <typename Slot>
using Queue = sws_queue::SdcQueue<Slot>;
using Pool = BagPool<Queue, RandomVictim>;

MAGPIE_TASK_POOL_SEAM(Pool, "pool_sdc")

}  // namespace magpie
