#include "common/rma/machine.h"

#include <sched.h>
#include <unistd.h>

namespace magpie::rma::internal {

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return CPU_COUNT(&cores);
}

}  // namespace magpie::rma::internal
