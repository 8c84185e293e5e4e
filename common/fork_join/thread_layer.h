// The concept of threads whose continuations can be stolen: what a policy of
// joining (join_policy.h) asks of them; and that of a source of ready threads,
// which it gives them. The simplest class that meets the first is
// in_place_threads.h; the suite for all is thread_layer_suite.h.
//
// A thread may go on on another rank after each create_thread and each suspend,
// where another instance serves it.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// A source of ready threads: suspended ones that a rank goes on with though
// nobody exits to them. Such threads wait in a queue of the rank until it
// looks, or were made ready several at once.
//
// One instance on each rank, which belongs to it. A thread layer asks it after
// each attempt to steal that failed; or, where there is nobody to steal from,
// when the rank's own queue is empty.
//
//   waiting()             Number of threads it has, ready or not. While there
//                         are any, the run does not end on this rank, and the
//                         pauses between attempts to steal do not grow.
//   next(&saved)          Looks at one thread. True: that one is ready and in
//                         *saved, and the source has it no more. False: it is
//                         not, and its turn comes again after all others; or
//                         there is none. *saved is then left as it was.
template <typename R, typename SavedThread>
concept ReadyThreads = requires(R ready, const R& seen, SavedThread saved) {
  { seen.waiting() } -> std::same_as<size_t>;
  { ready.next(&saved) } -> std::same_as<bool>;
};

// For ways to join in which whoever makes a thread ready goes on with it.
struct NoReadyThreads {
  size_t waiting() const { return 0; }
  template <typename SavedThread>
  bool next(SavedThread*) {
    return false;
  }
};

// Looks at up to `looks` threads. True: one is ready, and in *saved.
template <typename SavedThread, ReadyThreads<SavedThread> Ready>
bool next_of(Ready& ready, size_t looks, SavedThread* saved) {
  while (looks > 0 && !ready.next(saved)) --looks;
  return looks > 0;
}

// One instance on each rank. T::SavedThread, trivially copyable, names a
// suspended thread to every rank; its `frames` is null in a default-constructed
// one, which names none.
//
//   T::Options, add_options(app, options), T::layout(options)
//                         Flags; region and heap that an instance takes.
//   T(options, root)      Collective. `root` is the rank that runs the root.
//
//   T::create_thread(start, args...)
//                         Saves the caller, the parent, and calls
//                         start(parent, args...) below it, with at most three
//                         words. Returns when that has, or where a thief goes
//                         on with the parent. The new thread calls:
//   offer_parent(parent)  Thieves may have the parent from now on.
//   reclaim_parent(parent)
//                         True: nobody has the parent, and the thread is to
//                         return from `start`. False: it is to exit. REQUIRES:
//                         the rank is that of offer_parent(), where the caller
//                         may have come back to.
//   reclaim_at_once(parent)
//                         The same in a few instructions without a call or a
//                         wait. False: as where a thief is about, that does not
//                         do; nothing was done, and reclaim_parent() may still
//                         take the parent back.
//   suspend(stay)         Suspends the caller and calls stay(saved), which may
//                         give `saved` to others. When that returns true,
//                         suspend returns in place; else when somebody, on any
//                         rank, exits to `saved`. Nobody else resumes it.
//   make_ready(saved)     Lets some rank, this one or a thief, go on with a
//                         suspended thread. REQUIRES: as exit_to.
//   exit_to_scheduler()   Ends the caller; this rank looks for other work.
//   exit_to(saved)        Ends the caller and goes on with a suspended thread.
//                         REQUIRES of both: the caller is the root, or its
//                         parent is gone.
//
//   run(root, arg, ready) Collective. Runs root(arg), which exits at its end,
//                         on the root's rank, and what comes of it everywhere,
//                         until end_run() was called on some rank. `ready` is a
//                         source of threads to go on with (ReadyThreads).
//   end_run()             Ends the run; called by a thread, on any rank.
//   live_threads()        Suspended threads whose frames lie here.
//   stats(), region_bytes_max()
//                         Counts of steals and suspensions; the most of
//                         the region that was ever in use here.
//   hooks_spawns(), after_spawn()
//                         Whether the second is to be called after the
//                         offer_parent() of each spawn.
//   own_counts()          Optional: OwnCounts, what it counts besides.
//   T::kMigrates          Optional: whether a thread may go on on another rank.
//                         True where it is not stated.
template <typename T>
concept ThreadLayer = std::default_initializable<typename T::Options> &&
    std::constructible_from<T, const typename T::Options&, int> &&
    std::default_initializable<typename T::SavedThread> &&
    std::is_trivially_copyable_v<typename T::SavedThread> &&
    requires(T threads, const T& seen, typename T::Options options,
             CLI::App& app, typename T::SavedThread saved,
             bool (*stay)(const typename T::SavedThread&),
             context::Context* parent,
             void (*start)(context::Context* parent, void* arg),
             void (*root)(void* arg), void* arg, NoReadyThreads& ready) {
  { T::add_options(app, options) } -> std::same_as<void>;
  { T::layout(options) } -> std::same_as<rma::SegmentLayout>;
  { saved.frames } -> std::convertible_to<rma::RemotePtr<std::byte>>;
  { T::create_thread(start, arg) } -> std::same_as<void>;
  { threads.offer_parent(parent) } -> std::same_as<void>;
  { threads.reclaim_parent(parent) } -> std::same_as<bool>;
  { threads.reclaim_at_once(parent) } -> std::same_as<bool>;
  { threads.suspend(stay) } -> std::same_as<void>;
  { threads.make_ready(saved) } -> std::same_as<void>;
  threads.exit_to_scheduler();
  threads.exit_to(saved);
  { threads.run(root, arg, ready) } -> std::same_as<void>;
  { threads.end_run() } -> std::same_as<void>;
  { threads.live_threads() } -> std::same_as<uint64_t>;
  { seen.stats() } -> std::convertible_to<SchedulerStats>;
  { seen.region_bytes_max() } -> std::same_as<uint64_t>;
  { seen.hooks_spawns() } -> std::same_as<bool>;
  { threads.after_spawn() } -> std::same_as<void>;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_
