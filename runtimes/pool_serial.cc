// A stack of tasks on one rank.

#include "common/task_pool/serial.h"

namespace magpie {

MAGPIE_TASK_POOL_SEAM(serial::Pool, "pool_serial")

}  // namespace magpie
