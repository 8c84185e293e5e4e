// A stack of tasks on one rank.

#include "common/task_pool/serial.h"

namespace magpie {
namespace {

using Pool = ConstructsOfRank<serial::PoolRank>;

}  // namespace

const RuntimeTraits kPool = {.name = "pool_serial"};

MAGPIE_TASK_POOL_SEAM(Pool)
MAGPIE_ASYNC_ANY_SEAM(Pool)

}  // namespace magpie
