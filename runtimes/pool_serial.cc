// A stack of tasks on one rank.

#include "common/task_pool/serial.h"

namespace magpie {

const RuntimeTraits kPool = {.name = "pool_serial"};

MAGPIE_TASK_POOL_SEAM(serial::Pool)

}  // namespace magpie
