// --entry_bytes, the flag that sizes the memory for tasks' entries. For
// runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_ENTRY_OPTIONS_H_
#define MAGPIE_COMMON_FORK_JOIN_ENTRY_OPTIONS_H_

#include <cstdint>

#include "common/flags/flags.h"
#include "common/fork_join/task_entry.h"
#include "common/remote_heap/remote_heap.h"

namespace magpie {

struct EntryOptions {
  uint64_t bytes = 16 << 20;

  HeapOptions heap() const {
    return {.bytes = bytes,
            .what = "the memory of task entries",
            .flag = "--entry_bytes",
            .freed_twice = kClaimedTwice};
  }
};

inline void add_options(CLI::App& app, EntryOptions& options) {
  flags::add_bytes(
      app, "--entry_bytes", options.bytes,
      "memory for tasks whose result is not yet joined, on each rank", 1 << 10,
      1ull << 36);
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_ENTRY_OPTIONS_H_
