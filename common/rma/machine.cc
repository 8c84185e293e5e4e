#include "common/rma/machine.h"

#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace magpie::rma::internal {

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return CPU_COUNT(&cores);
}

std::vector<Mapping> mappings() {
  std::ifstream file("/proc/self/maps");
  std::vector<Mapping> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Mapping mapping;
    char dash;
    std::string permissions, offset, device, inode;
    fields >> std::hex >> mapping.begin >> dash >> mapping.end >> permissions >>
        offset >> device >> inode >> mapping.path;
    mapping.writable = permissions.find('w') != std::string::npos;
    all.push_back(mapping);
  }
  return all;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

}  // namespace magpie::rma::internal
