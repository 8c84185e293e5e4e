// Facts that backends ask about the machine that they run on.

#ifndef MAGPIE_COMMON_RMA_MACHINE_H_
#define MAGPIE_COMMON_RMA_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace magpie::rma::internal {

size_t page_bytes();

// The next multiple of `to`, which need not be a power of two.
constexpr size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

// Bytes that the calling process may still allocate, as the kernel and the
// process's control groups tell, of both versions, and these groups' parents.
// Pages of files that nobody has used for long count as free, since the kernel
// drops them first. Much where nothing is known. Control groups are looked for
// in /sys/fs/cgroup. The kernel's files are below the folder `root`, which is
// not "" in tests.
uint64_t available_memory(const std::string& root = "");

// The cores whose time control groups leave the calling process, rounded up;
// INT_MAX: all.
int core_quota(const std::string& root = "");

// Cores that the calling process may use at a time, as far as control groups
// leave it their time; at least 1.
int available_cores();

// A mapping of the calling process; mappings() returns all, by address
// (/proc/self/maps).
struct Mapping {
  uintptr_t begin, end;
  bool writable;
  // Path of the file, or "[stack]" and the like; empty for other memory.
  std::string path;
};
std::vector<Mapping> mappings();

// Number of the calling process's threads; 1 where the system does not tell.
int count_threads();

// The command line of the calling process, its name first.
std::vector<std::string> own_arguments();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_MACHINE_H_
