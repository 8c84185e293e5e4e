// What programs and runtimes tell each other through the seam (runtime.h): a
// task's handle and type, and how a runtime treats tasks.

#ifndef MAGPIE_COMMON_FORK_JOIN_SEAM_TYPES_H_
#define MAGPIE_COMMON_FORK_JOIN_SEAM_TYPES_H_

#include <cstdint>

#include "common/context/context.h"
#include "common/run/type_info.h"

namespace magpie {

// A future, as programs carry it about. Trivially copyable: it may travel in
// closures and results. The runtime gives the words their meaning; all ones in
// the second stand for no task.
struct Handle {
  uint64_t w[2];
  bool operator==(const Handle&) const = default;
};
inline constexpr Handle kNoTask = {{0, ~uint64_t{0}}};

// Treatment of tasks by a runtime, as far as a program can tell. The class that
// a composition names in MAGPIE_FORK_JOIN_SEAM states it, as kTraits; those of
// ThreadRuntime and child_steal::Runtime take it from their parts.
struct ForkJoinTraits {
  // Whether other ranks than the root's run tasks, where there are several.
  bool spreads;
  // Whether a task that has begun may go on on another rank, after each spawn
  // and join. A parent then never waits for a rank that runs its child.
  bool migrates;
  // Whether joins are buried: a task that waits goes on only when those have
  // ended that its rank has begun since. Programs whose futures travel may then
  // come to a join that nobody can end, which prints an error and ends the job.
  bool buries;
  // Whether a task that waits is resumed again and again, to look whether it
  // may go on. Then ranks work as long as one waits, and a job that hangs is
  // not recognized (--patience).
  bool waits_in_turns = false;
};

// Type of a task that is spawned, as a runtime knows it.
struct SpawnedType : TypeInfo {
  // For runtimes that run a task at once, as a thread below its parent, which
  // they have saved: begins the task, runs the closure in a frame of its own,
  // and ends the task. Compiled with the program, so that the compiler knows
  // the closure and the sizes. Runtimes that run tasks later call `invoke`.
  void (*run_below)(context::Context* parent, const void* closure, Handle* out);
  // Whether a spawn of the type has nothing to be asked any more
  // (thread_runtime.h). The process's own, set by a runtime. False where no run
  // is.
  bool* is_plain;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_SEAM_TYPES_H_
