#include "common/rma/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace magpie::rma::internal {
namespace {

// The number after `key` in a file of "key number" lines; with an empty key
// the file's first.
bool read_number(const char* path, const std::string& key, uint64_t* number) {
  std::ifstream file(path);
  std::string word;
  if (key.empty()) return static_cast<bool>(file >> *number);
  while (file >> word) {
    if (word == key) return static_cast<bool>(file >> *number);
  }
  return false;
}

}  // namespace

uint64_t available_memory() {
  uint64_t available = UINT64_MAX;
  uint64_t kib, limit, used;
  if (read_number("/proc/meminfo", "MemAvailable:", &kib))
    available = kib << 10;
  if (read_number("/sys/fs/cgroup/memory.max", "", &limit) &&
      read_number("/sys/fs/cgroup/memory.current", "", &used)) {
    available = std::min(available, limit > used ? limit - used : 0);
  }
  return available;
}

}  // namespace magpie::rma::internal
