#include "common/rma/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace magpie::rma::internal {

// Names in one version; a file that is not there is like one without a limit.
struct ControlGroups::Version {
  // Type of the file system.
  const char* type;
  const char* memory_limit;
  const char* memory_used;
  // Key in memory.stat.
  const char* unused_files;
  // Files of the microseconds of core time in each period, and of the period;
  // "" for the period: both stand in the first file.
  const char* cpu_quota;
  const char* cpu_period;
};

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The numbers that a file begins with, up to "max" or -1, which stand for no
// limit.
std::vector<uint64_t> numbers_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<uint64_t> numbers;
  for (int64_t number; file >> number && number >= 0;)
    numbers.push_back(static_cast<uint64_t>(number));
  return numbers;
}

// The number after `key` in a file of "key number" lines; 0: none.
uint64_t number_of(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  uint64_t number = 0;
  for (std::string word; file >> word >> number;)
    if (word == key) return number;
  return 0;
}

// One controller's tree: where it is mounted, and which of its groups that is.
struct Mount {
  std::string point, group;
};

// The mounted tree of type `type`, in version 1 the one with the controller.
Mount mount_of(const std::string& root, std::string_view type,
               std::string_view controller) {
  for (const std::string& line :
       lines_of(absl::StrCat(root, "/proc/self/mountinfo"))) {
    const std::vector<std::string> sides = absl::StrSplit(line, " - ");
    if (sides.size() != 2) continue;
    const std::vector<std::string> mounted = absl::StrSplit(sides[0], ' ');
    const std::vector<std::string> system = absl::StrSplit(sides[1], ' ');
    if (mounted.size() < 5 || system.size() < 3 || system[0] != type) continue;
    const std::vector<std::string> options = absl::StrSplit(system[2], ',');
    if (controller.empty() ||
        std::ranges::find(options, controller) != std::ranges::end(options))
      return {mounted[4], mounted[3]};
  }
  return {};
}

// The process's group in the tree with `controller`; "" means version 2's tree.
std::string group_of(const std::string& root, std::string_view controller) {
  for (const std::string& line :
       lines_of(absl::StrCat(root, "/proc/self/cgroup"))) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
    if (std::ranges::find(controllers, controller) !=
        std::ranges::end(controllers))
      return parts[2];
  }
  return "/";
}

// The folders of the groups from the process's own up to the mounted one. For a
// group outside of what is mounted, as in a container, the mounted one alone.
std::vector<std::string> folders_of(const std::string& root,
                                    std::string_view type,
                                    std::string_view controller) {
  const Mount mount = mount_of(root, type, controller);
  if (mount.point.empty()) return {};
  const std::string group = group_of(root, controller);
  absl::string_view below = group;
  std::vector<std::string> folders;
  if (mount.group == "/" || absl::ConsumePrefix(&below, mount.group)) {
    while (below.size() > 1 && !absl::StrContains(below, "..")) {
      folders.push_back(absl::StrCat(root, mount.point, below));
      below = below.substr(0, below.rfind('/'));
    }
  }
  folders.push_back(absl::StrCat(root, mount.point));
  return folders;
}

}  // namespace

ControlGroups::ControlGroups(const std::string& root) {
  static constexpr Version kSecond = {"cgroup2",        "memory.max",
                                      "memory.current", "inactive_file",
                                      "cpu.max",        ""};
  static constexpr Version kFirst = {"cgroup",
                                     "memory.limit_in_bytes",
                                     "memory.usage_in_bytes",
                                     "total_inactive_file",
                                     "cpu.cfs_quota_us",
                                     "cpu.cfs_period_us"};
  for (const Version* version : {&kSecond, &kFirst}) {
    const bool is_first = version == &kFirst;
    Tree memory = {version,
                   folders_of(root, version->type, is_first ? "memory" : "")};
    std::erase_if(memory.folders, [&](const std::string& folder) {
      return memory_limit(*version, folder) == UINT64_MAX;
    });
    memory_.push_back(memory);
    cpu_.push_back(
        {version, folders_of(root, version->type, is_first ? "cpu" : "")});
  }
}

const ControlGroups& own_control_groups() {
  static const ControlGroups groups;
  return groups;
}

uint64_t ControlGroups::memory_limit(const Version& version,
                                     const std::string& folder) {
  // What version 1 says where there is none is more.
  constexpr uint64_t kNoLimit = uint64_t{1} << 60;
  const std::vector<uint64_t> limit =
      numbers_in(absl::StrCat(folder, "/", version.memory_limit));
  return limit.empty() || limit[0] >= kNoLimit ? UINT64_MAX : limit[0];
}

uint64_t ControlGroups::free_bytes(const Version& version,
                                   const std::string& folder) {
  const uint64_t limit = memory_limit(version, folder);
  const std::vector<uint64_t> used =
      numbers_in(absl::StrCat(folder, "/", version.memory_used));
  if (limit == UINT64_MAX || used.empty()) return UINT64_MAX;
  const uint64_t unused =
      number_of(absl::StrCat(folder, "/memory.stat"), version.unused_files);
  const uint64_t needed = used[0] - std::min(unused, used[0]);
  return limit - std::min(needed, limit);
}

uint64_t ControlGroups::available_memory() const {
  uint64_t available = UINT64_MAX;
  for (const Tree& tree : memory_) {
    for (const std::string& folder : tree.folders)
      available = std::min(available, free_bytes(*tree.version, folder));
  }
  return available;
}

int ControlGroups::cores() const {
  uint64_t cores = 0;
  for (const Tree& tree : cpu_) {
    for (const std::string& folder : tree.folders) {
      const Version& version = *tree.version;
      std::vector<uint64_t> limit =
          numbers_in(absl::StrCat(folder, "/", version.cpu_quota));
      if (*version.cpu_period != 0 && !limit.empty()) {
        for (uint64_t period :
             numbers_in(absl::StrCat(folder, "/", version.cpu_period)))
          limit.push_back(period);
      }
      if (limit.size() < 2 || limit[1] == 0) continue;
      const uint64_t here = std::max<uint64_t>(
          1, limit[0] / limit[1] + (limit[0] % limit[1] != 0));
      cores = cores == 0 ? here : std::min(cores, here);
    }
  }
  return static_cast<int>(std::min<uint64_t>(cores, INT32_MAX));
}

}  // namespace magpie::rma::internal
