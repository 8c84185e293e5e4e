#include "common/rma/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "common/rma/cgroup.h"

namespace magpie::rma::internal {

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

std::vector<uint64_t> affinity() {
  // The kernel refuses masks that are smaller than its own.
  for (size_t words = 16; words <= 4096; words *= 2) {
    std::vector<uint64_t> mask(words);
    if (sched_getaffinity(0, words * sizeof(uint64_t),
                          reinterpret_cast<cpu_set_t*>(mask.data())) == 0)
      return mask;
    if (errno != EINVAL) break;
  }
  return {1};
}

int count_cores(const std::vector<uint64_t>& mask) {
  int cores = 0;
  for (uint64_t word : mask) cores += std::popcount(word);
  const int quota = own_control_groups().cores();
  return std::max(1, quota == 0 ? cores : std::min(cores, quota));
}

int available_cores() { return count_cores(affinity()); }

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

int count_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  if (error) return 1;
  return static_cast<int>(std::distance(begin(threads), end(threads)));
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

}  // namespace magpie::rma::internal
