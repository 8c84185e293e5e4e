// A pool of tasks composed of the simplest class that meets each concept.

#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "common/task_pool/pool.h"

namespace magpie {
namespace {

using Pool = BagPool<LockedDeque, NextVictim>;

}  // namespace

const RuntimeTraits kPool = {.name = "pool_simplest"};

MAGPIE_TASK_POOL_SEAM(Pool)

}  // namespace magpie
