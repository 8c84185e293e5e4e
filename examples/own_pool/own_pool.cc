// A pool of one's own: bags of tasks, here of the simplest class that meets
// each concept.

#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "common/task_pool/pool.h"

namespace magpie {

using Pool = BagPool<LockedDeque, NextVictim>;

MAGPIE_TASK_POOL_SEAM(Pool, "own_pool")

}  // namespace magpie
