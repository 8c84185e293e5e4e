// What a fork-join program is on each rank, where only tasks spawn tasks; and
// how its root runs. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_PROGRAM_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <typeinfo>

#include "common/fork_join/task_entries.h"
#include "common/fork_join/task_frames.h"
#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/invoke.h"
#include "common/run/program.h"
#include "common/run/root_result.h"

namespace magpie {

// The value that end_run() was given: what a run that a task has ended early
// results in, in the place of what its root returns.
//
// Thread safety: an instance belongs to one rank; the value and `callers_` lie
// on rank 0, which reads them when all ranks have left the run. Invariants:
//   1. `callers_` is changed by atomics only: one caller is first, and its
//      value alone is put.
class EarlyResult {
 public:
  // Makes room for a value of that shape. Collective.
  explicit EarlyResult(ResultShape shape)
      : bytes_(shape.size),
        value_(rma::allocate_bytes(std::max<size_t>(shape.size, 1), shape.align)
                   .at(0)),
        callers_(rma::allocate<rma::Word>().at(0)) {}

  static size_t heap_bytes(ResultShape shape) {
    return rma::allocated_bytes(std::max<size_t>(shape.size, 1), shape.align) +
           rma::allocated_bytes<rma::Word>();
  }

  // Keeps the value, unless one was kept. Complete when it returns. Cost: a
  // fetch_add, and a put for the first.
  void keep(const void* value) const {
    if (rma::fetch_add(callers_, 1) > 0) return;
    rma::put(value_, value, bytes_);
    rma::flush(0);
  }

  // On rank 0: makes the value that was kept, if there is one, the run's
  // result. REQUIRES: a barrier came after the run.
  void deliver(const RootResult& result) const {
    if (rma::rank() != 0 || callers_.local()->load() == 0) return;
    std::memcpy(result.local(), value_.local(), bytes_);
  }

 private:
  const size_t bytes_;
  const rma::RemotePtr<std::byte> value_;
  const rma::RemotePtr<rma::Word> callers_;
};

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
