// What a fork-join program is on each rank, where only tasks spawn tasks; and
// how its root runs. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_

#include <cstring>

#include "common/fork_join/task_entry.h"
#include "common/fork_join/task_frames.h"
#include "common/run/root_result.h"
#include "common/task/address_scan.h"
#include "common/task/invoke.h"
#include "common/task/program.h"

namespace magpie {

class TaskProgram : public ProgramOf<RootInfo> {
 public:
  using ProgramOf::ProgramOf;

  [[gnu::always_inline]] void look_at(const TypeInfo& type,
                                      const void* closure) {
    ProgramOf::look_at(type, closure,
                       [](const TypeInfo&) { require_task_stack(); });
  }
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
