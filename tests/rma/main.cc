// Every case once, on the backend that is linked.

#include "common/testing/spmd.h"

// Nothing is freed, so the heap holds what all cases allocate.
SPMD_MAIN({.region_bytes = 16 << 20, .heap_bytes = 96 << 20});
