#include "common/rma/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/symmetric_heap.h"

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

uint64_t segment_bytes(const SegmentLayout& layout) {
  constexpr uint64_t kMost = kTooManyBytes;
  return std::min(kMost, std::min<uint64_t>(layout.region_bytes, kMost) +
                             std::min<uint64_t>(layout.heap_bytes, kMost) +
                             gap_bytes());
}

std::string too_much_memory(int ranks, int here, uint64_t segment_bytes) {
  const uint64_t available = available_memory();
  const auto n = static_cast<uint64_t>(here);
  if (segment_bytes <= available / n) return {};
  const uint64_t fit = available / segment_bytes;
  return absl::StrCat(
      "--ranks=", ranks, ": segments of ", segment_bytes >> 10, " KiB for ", n,
      " ranks of this machine need ", (n * (segment_bytes >> 10)) >> 10,
      " MiB of memory, available are ", available >> 20, " MiB; ",
      fit > 0 ? absl::StrCat("at most ", fit, " ranks fit, more with ")
              : "not one fits: make do with ",
      "smaller segments (flags that end in _bytes)");
}

}  // namespace magpie::rma::internal
