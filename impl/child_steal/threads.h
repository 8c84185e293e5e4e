// An item of a rank's queue in child stealing (runtime.h), and the concept of
// the threads that run it, which are tied. There are Full (full.h) and RtC
// (rtc.h).

#ifndef MAGPIE_IMPL_CHILD_STEAL_THREADS_H_
#define MAGPIE_IMPL_CHILD_STEAL_THREADS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/fork_join/seam_types.h"
#include "common/run/type_info.h"

namespace magpie::child_steal {

// Item in the queue for a task that has not started: its function and
// arguments. It means the same on every rank, so that a thief that has copied
// it has all it needs (cluster22 §II-A; 55 to 56 bytes in its Table II).
//
// A closure that is too large lies in the task's entry, where its result will
// be, until the task has started and has a copy: see tasks.h.
struct Descriptor {
  static constexpr size_t kInline = 40;

  // Type of the task; has the same address on every rank.
  const TypeInfo* type;
  Handle task;
  alignas(8) std::byte closure[kInline];

  static bool holds_closure_of(const TypeInfo& type) {
    return type.closure_size <= kInline;
  }
};
static_assert(sizeof(Descriptor) == 64);

// One instance on each rank.
//
//   T::kStackBytes, T::kStackBytesHelp
//                         Default and help text of --stack_bytes.
//   T::kBuries            Whether a task that waits goes on only when those
//                         have ended that have come on top of it. The rank
//                         then tells which rank has started which task.
//   T::kJoinsRunTheirOwn  Whether a join first runs what its rank has spawned
//                         and nobody has stolen, the youngest first, and calls
//                         its own task where that is among it. Else it waits,
//                         and wait() sees to that.
//   T::heap_bytes()       Bytes of the symmetric heap that they take.
//   T(stack_bytes)        Collective.
//
//   call(body)            Runs body(), and returns when it has ended.
//   start(body)           Runs a copy of body, for which nobody on this stack
//                         waits. May return while it waits.
//   wait(rank, task)      Called by a task. Returns when rank.is_done(task).
//                         Where joins run their own tasks, none of these is
//                         left.
//   run(rank, root)       The whole run on this rank: *root, where it is not
//                         null, and what the rank finds (pop, search,
//                         try_to_steal), until rank.is_over() and nobody waits.
//
//   waiting()             Number of joins that wait now.
//   stack_bytes_max()     Most bytes of stacks in use, for the report
//                         (common/run).
//   own_counts()          Optional: OwnCounts, what they count besides.
//
// wait and run are templates over the rank: the concept does not check them.
template <typename T>
concept TiedThreads = std::constructible_from<T, uint64_t> &&
    requires(T threads, const T& seen, void (*body)()) {
  { T::kStackBytes } -> std::convertible_to<uint64_t>;
  { T::kStackBytesHelp } -> std::convertible_to<const char*>;
  { T::kBuries } -> std::convertible_to<bool>;
  { T::kJoinsRunTheirOwn } -> std::convertible_to<bool>;
  { T::heap_bytes() } -> std::same_as<size_t>;
  { threads.call(body) } -> std::same_as<void>;
  { threads.start(body) } -> std::same_as<void>;
  { seen.waiting() } -> std::same_as<uint64_t>;
  { seen.stack_bytes_max() } -> std::same_as<uint64_t>;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_THREADS_H_
