// A pool of tasks out of the simplest class that meets each concept.

#include "common/stealing/locked_deque.h"
#include "common/stealing/victim_selection.h"
#include "impl/sws_queue/pool.h"

namespace magpie {
namespace {

using Pool = sws_queue::Pool<LockedDeque, NextVictim>;

}  // namespace

const PoolTraits kPool = {.name = "pool_simplest"};

MAGPIE_TASK_POOL_SEAM(Pool)

}  // namespace magpie
