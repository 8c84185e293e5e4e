// The concept of a way to join: how a thread that ends and those that wait for
// it find each other, wherever they are. The simplest class that meets it is
// locked_join.h; the suite for all is join_policy_suite.h.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_H_
#define MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/fork_join/seam_types.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/run/held.h"
#include "common/run/run.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// The two parts of a rank that know of each other: a policy of joining suspends
// threads and goes on with them. Stands first in what rma::self().local names.
template <typename Threads, typename Join>
struct JoinParts {
  // Parts of the calling rank. Asked again after each point where a thread may
  // have moved.
  static JoinParts& here() { return this_rank<JoinParts>(); }

  // Takes the running thread's parent back; true: nobody else has it. A parent
  // that must stay (held.h) was never offered.
  [[gnu::always_inline]] bool reclaim_parent(context::Context* parent) {
    return must_stay() || threads.reclaim_parent(parent);
  }

  Threads threads;
  Join joins;
};

// One instance on each rank, which finds the calling rank's threads by
// JoinParts<Threads, J>::here(). Functions in which the caller may move to
// another rank are static.
//
//   J::Threads            The thread layer.
//   J(options), J::heap_bytes(options)
//                         Collective. HeapOptions: the memory for entries.
//
//   create(type)          -> Handle. A new thread, whose entry is on the
//                         calling rank; its name, for consumers and for itself.
//   can_create_at_once()  Whether the next create() of a small type takes a few
//                         instructions and no call. May always be false.
//   J::die(type, handle, parent, result)
//                         Ends the calling thread, with its result. Returns
//                         where the thread takes its parent back, whose frames
//                         lie above the caller's; otherwise goes on with a
//                         consumer, or to the scheduler.
//
//   J::join(handle, consumer, result, bytes)
//                         Waits for the thread and copies its result. The last
//                         of its consumers (runtime.h numbers them) frees its
//                         entry. May return on another rank.
//   J::discard(handle, consumer, bytes)
//                         Claims the thread, but does not wait and takes no
//                         result, which has `bytes` bytes. join() and discard()
//                         print an error and end the job where the consumer has
//                         claimed the thread before.
//
//   live_entries()        Threads with an entry here that are neither joined
//                         nor discarded.
//   stats()               spawns, deaths, outstanding joins, where it counts
//                         them.
//
// It is the rank's ReadyThreads (thread_layer.h), too: those that wait in a
// queue of its own; else it derives from NoReadyThreads.
//
// Optional:
//   own_counts()          OwnCounts: what it counts besides.
//   J::kWaitsInTurns      ForkJoinTraits::waits_in_turns; false where it is not
//                         there.
template <typename J>
concept JoinPolicy = std::constructible_from<J, const HeapOptions&> &&
    ReadyThreads<J, typename J::Threads::SavedThread> &&
    requires(J joins, const J& seen, const HeapOptions& options,
             const TypeInfo& type, const Handle& thread,
             context::Context* parent, uint32_t consumer, void* result,
             size_t bytes) {
  typename J::Threads;
  { J::heap_bytes(options) } -> std::same_as<size_t>;
  { joins.create(type) } -> std::same_as<Handle>;
  { seen.can_create_at_once() } -> std::same_as<bool>;
  { J::die(type, thread, parent, result) } -> std::same_as<void>;
  { J::join(thread, consumer, result, bytes) } -> std::same_as<void>;
  { J::discard(thread, consumer, bytes) } -> std::same_as<void>;
  { joins.live_entries() } -> std::same_as<uint64_t>;
  { seen.stats() } -> std::same_as<const SchedulerStats&>;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_H_
