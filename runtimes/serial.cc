// Plain calls on one rank: what the others are compared with.

#include "common/fork_join/serial.h"

namespace magpie {

MAGPIE_FORK_JOIN_SEAM(serial::Runtime, "serial")

}  // namespace magpie
