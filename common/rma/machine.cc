#include "common/rma/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace magpie::rma::internal {
namespace {

// The number with which a file begins, or, where `word` is not "", the one
// behind that word; none: there is no such number, but "max" or -1.
std::optional<uint64_t> number_in(const std::string& path,
                                  std::string_view word = "") {
  std::ifstream file(path);
  for (std::string other; !word.empty() && file >> other && other != word;) {
  }
  int64_t number;
  if (!(file >> number) || number < 0) return std::nullopt;
  return static_cast<uint64_t>(number);
}

// The folders of the process's control groups with a controller ("memory",
// "cpu"), and of those above. Some are not there, as in a container that sees
// its own group as the tree's root.
std::vector<std::string> control_groups(const std::string& root,
                                        const std::string& controller) {
  std::vector<std::string> folders;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    // "4:cpu,cpuacct:/a/b" in version 1, "0::/a/b" in version 2.
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3 || !absl::StartsWith(parts[2], "/")) continue;
    std::string tree = root + "/sys/fs/cgroup";
    if (!parts[1].empty()) {
      const std::vector<std::string> its = absl::StrSplit(parts[1], ',');
      if (std::ranges::find(its, controller) == its.end()) continue;
      tree += "/" + controller;
    }
    for (std::string group = parts[2];; group.resize(group.rfind('/'))) {
      folders.push_back(tree + group);
      if (group.empty()) break;
    }
  }
  return folders;
}

}  // namespace

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

uint64_t available_memory(const std::string& root) {
  static constexpr const char* kNames[][3] = {
      {"/memory.max", "/memory.current", "inactive_file"},
      {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
       "total_inactive_file"}};
  const auto kib = number_in(root + "/proc/meminfo", "MemAvailable:");
  uint64_t available = kib ? *kib << 10 : UINT64_MAX;
  for (const std::string& group : control_groups(root, "memory")) {
    for (const auto& [limit_file, used_file, unused_word] : kNames) {
      const auto limit = number_in(group + limit_file);
      if (!limit) continue;
      const uint64_t used = number_in(group + used_file).value_or(0);
      const uint64_t unused =
          number_in(group + "/memory.stat", unused_word).value_or(0);
      const uint64_t needed = used - std::min(unused, used);
      available = std::min(available, *limit - std::min(needed, *limit));
    }
  }
  return available;
}

int core_quota(const std::string& root) {
  uint64_t cores = INT_MAX;
  for (const std::string& group : control_groups(root, "cpu")) {
    auto quota = number_in(group + "/cpu.max");
    auto period =
        number_in(group + "/cpu.max", absl::StrCat(quota.value_or(0)));
    if (!quota) {
      quota = number_in(group + "/cpu.cfs_quota_us");
      period = number_in(group + "/cpu.cfs_period_us");
    }
    if (quota && period.value_or(0) > 0)
      cores = std::min(cores, (*quota + *period - 1) / *period);
  }
  return static_cast<int>(std::max<uint64_t>(cores, 1));
}

int available_cores() {
  // The kernel refuses masks that are smaller than its own.
  std::vector<cpu_set_t> mask(32);
  const size_t bytes = mask.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, mask.data()) != 0) return 1;
  return std::clamp(CPU_COUNT_S(bytes, mask.data()), 1, core_quota());
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
