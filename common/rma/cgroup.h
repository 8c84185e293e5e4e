// What control groups leave a process: the limits of containers, of batch
// systems and of services, of both versions of Linux's interface.
//
// A group's limit holds for the groups below it too, so the narrowest counts of
// all from the process's own up to the one at the root of the mounted tree.

#ifndef MAGPIE_COMMON_RMA_CGROUP_H_
#define MAGPIE_COMMON_RMA_CGROUP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace magpie::rma::internal {

// The calling process's groups. Those without a limit of memory when it is made
// are not asked again. Thread safety: none is needed, nothing changes
// after construction.
class ControlGroups {
 public:
  // Reads the kernel's files below the folder `root`, which is not "" in tests.
  explicit ControlGroups(const std::string& root = "");

  // Bytes that may still be allocated; UINT64_MAX: no limit. Pages of files
  // that nobody has used for long count as free, since the kernel drops them
  // first.
  uint64_t available_memory() const;

  // Cores whose time may be used, rounded up; 0: no limit.
  int cores() const;

 private:
  // The files of one version of the interface.
  struct Version;
  struct Tree {
    const Version* version;
    // The process's group first.
    std::vector<std::string> folders;
  };
  // UINT64_MAX: none.
  static uint64_t memory_limit(const Version& version,
                               const std::string& folder);
  static uint64_t free_bytes(const Version& version, const std::string& folder);

  // Without the groups that have no limit.
  std::vector<Tree> memory_;
  std::vector<Tree> cpu_;
};

// Those of the calling process when it asks first. What they leave is read each
// time.
const ControlGroups& own_control_groups();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_CGROUP_H_
