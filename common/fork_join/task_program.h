// What a fork-join program is on each rank: its types of tasks, each looked at
// before the rank creates the first of them, and its root. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_

#include <cstddef>
#include <cstring>

#include "common/fork_join/task_entry.h"
#include "common/fork_join/task_frames.h"
#include "common/run/root_result.h"
#include "common/task/address_scan.h"
#include "common/task/root_task.h"

namespace magpie {

// Thread safety: belongs to one rank.
class TaskProgram {
 public:
  // Collective.
  TaskProgram(OnAddress on_address, const RootTask& root)
      : address_scan_(on_address),
        prepared_root_(root, address_scan_),
        root_(root) {}

  static size_t heap_bytes(const RootTask& root) {
    return AddressScan::heap_bytes() + root.heap_bytes();
  }

  // Looks at a task that the calling rank is about to create. What is wrong
  // with it ends the job in words.
  [[gnu::always_inline]] void look_at(const TypeInfo& type,
                                      const void* closure) {
    if (address_scan_.is_new(type)) [[unlikely]]
      look_at_first(type, closure);
  }
  // Looks at the result of a task that has ended here.
  [[gnu::always_inline]] void look_at_result(const TypeInfo& type,
                                             const void* result) {
    if constexpr (AddressScan::kLooksAtAll)
      address_scan_.look_at_result(type, result);
  }

  const RootTask& root() const { return root_; }
  const void* root_closure() const { return prepared_root_.closure(); }

 private:
  [[gnu::noinline]] void look_at_first(const TypeInfo& type,
                                       const void* closure) {
    require_one_consumer(type);
    address_scan_.look_at_closure(type, closure);
    require_task_stack();
  }

  AddressScan address_scan_;
  const PreparedRoot prepared_root_;
  const RootTask root_;
};

// Runs the root and delivers its result. It may end on another rank: both
// arguments are copies on the stack where it runs, or stay where they are.
inline void run_root(const RootTask& root, const RootResult& result) {
  const TypeInfo& type = root.info->task;
  with_any_frame(type, [&](AnyFrame& frame) {
    std::memcpy(frame.closure(), root.closure, type.closure_size);
    invoke(type, frame.closure(), frame.result());
    result.deliver(frame.result());
  });
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_
