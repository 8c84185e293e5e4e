// A pool of one's own: bags of tasks over a queue of one's own.

#include "common/stealing/victim_selection.h"
#include "common/task_pool/pool.h"
#include "ring_queue.h"

namespace magpie {
namespace {

using Pool = BagPool<RingQueue, RandomVictim>;

}  // namespace

const RuntimeTraits kPool = {.name = "ring_pool"};

MAGPIE_TASK_POOL_SEAM(Pool)

}  // namespace magpie
