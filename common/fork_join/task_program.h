// What a fork-join program is on each rank, where only tasks spawn tasks; and
// how its root runs. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_

#include <cstddef>
#include <cstring>
#include <typeinfo>

#include "common/fork_join/early_result.h"
#include "common/fork_join/task_entry.h"
#include "common/fork_join/task_frames.h"
#include "common/run/root_result.h"
#include "common/task/address_scan.h"
#include "common/task/invoke.h"
#include "common/task/program.h"

namespace magpie {

class TaskProgram : public ProgramOf<RootInfo> {
 public:
  // Collective.
  TaskProgram(OnAddress on_address, const Root& root)
      : ProgramOf(on_address, root), early_result_(root.result()) {}

  static size_t heap_bytes(const Root& root) {
    return ProgramOf::heap_bytes(root) + EarlyResult::heap_bytes(root.result());
  }

  [[gnu::always_inline]] void look_at(const TypeInfo& type,
                                      const void* closure) {
    ProgramOf::look_at(type, closure,
                       [](const TypeInfo&) { require_task_stack(); });
  }

  // Ends the run on all ranks, called by a task; with *value, where there is a
  // type, as its result. Another type than the root's result prints an error
  // and ends the job.
  [[gnu::cold]] void end_run(const std::type_info* type,
                             const void* value) const {
    // Asked first, so that a call where there is no run faults here, in its
    // words.
    const bool is_known = early_end().is_announced();
    require_task_stack("end_run");
    if (type != nullptr) {
      internal::require_result_type(*type, root().info->result_name);
      early_result_.keep(value);
    }
    if (!is_known) early_end().announce();
  }
  // See RunnableRank::finish.
  void finish(const RootResult& result) const { early_result_.deliver(result); }

 private:
  const EarlyResult early_result_;
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
