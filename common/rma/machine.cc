#include "common/rma/machine.h"

#include <sched.h>
#include <unistd.h>

#include <fstream>

namespace magpie::rma::internal {

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return CPU_COUNT(&cores);
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

}  // namespace magpie::rma::internal
