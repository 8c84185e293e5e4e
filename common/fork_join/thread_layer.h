// The concept of threads whose continuations can be stolen: what a policy of
// joining (join_policy.h) asks of them. The simplest class that meets it is
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

#include "common/fork_join/ready_threads.h"
#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"

namespace CLI {
class App;
}

namespace magpie {
namespace internal {

// A thread to ask a layer for.
template <typename Threads>
struct AnyChild {
  static int frame_in(void* memory, void*);
  AnyChild(int& frame, void*);
  Threads& threads();
  void run();
  void return_to_parent();
  [[noreturn]] void leave();
};

}  // namespace internal

// One instance on each rank. T::SavedThread, trivially copyable, names a
// suspended thread to every rank; its `frames` is null in a default-constructed
// one, which names none.
//
//   T::Options, add_options(app, options), T::layout(options)
//                         Flags; region and heap that an instance takes.
//   T(options, root)      Collective. `root` is the rank that runs the root.
//
//   T::create_thread<Child>(args...)
//                         Saves the caller, the parent, and below it runs the
//                         thread Child(args...), a class of the caller's:
//
//     Child::frame_bytes(args...)
//                           Optional: so much memory of the thread's own stack.
//                           `args` are at most three words.
//     Child::frame_in(memory, args...)
//                           What lies on that stack beside the object, maybe in
//                           that memory; else that is null.
//     Child(frame, args...) While the parent is there: takes what it needs of
//                           it.
//     threads()             The calling rank's T. Asked again after run().
//     is_away()             Optional. Asked after run(): true where it ended on
//                           another rank than it began on, so that its parent
//                           is gone. threads() is then not asked again.
//     kIsPlain              Optional. True: the caller knows that this rank is
//                           not simulated, and that hooks_spawns() is false.
//     run()                 The thread. Thieves may have its parent now; and it
//                           may end on another rank.
//     return_to_parent()    It has ended, and nobody has stolen the parent,
//                           which goes on when this returns.
//     leave()               It has ended, and its parent is gone: exits to
//                           somebody, or to the scheduler.
//
//                         Returns when return_to_parent() has, or where a thief
//                         goes on with the parent.
//   suspend(stay)         Suspends the caller and calls stay(saved), which may
//                         give `saved` to others. When that returns true,
//                         suspend returns in place; else when somebody, on any
//                         rank, exits to `saved`. Nobody else resumes it.
//   make_ready(saved)     Some rank, this one or a thief, goes on with a
//                         suspended thread. REQUIRES: as exit_to.
//   exit_to_scheduler()   Ends the caller; this rank looks for other work.
//   exit_to(saved)        Ends the caller and goes on with a suspended thread.
//                         REQUIRES of both: the caller is the root, or its
//                         parent is gone.
//
//   run(root, arg, ready) Collective. Runs root(arg), which exits at its end,
//                         on the root's rank, and what comes of it everywhere,
//                         until end_run() was called on some rank. `ready` is a
//                         source of threads to go on with (ready_threads.h).
//   end_run()             From any rank, by a thread.
//   live_threads()        Suspended threads whose frames lie here.
//   stats(), region_bytes_max()
//                         What steals and suspensions there were; the most of
//                         the region that was ever in use here.
//   own_counts()          Optional: OwnCounts, what it counts besides.
//   hooks_spawns()        Optional: whether something is done after each spawn
//                         whose child is not plain. Without it there are no
//                         plain children.
template <typename T>
concept ThreadLayer = std::default_initializable<typename T::Options> &&
    std::constructible_from<T, const typename T::Options&, int> &&
    std::default_initializable<typename T::SavedThread> &&
    std::is_trivially_copyable_v<typename T::SavedThread> &&
    requires(T threads, const T& seen, typename T::Options options,
             CLI::App& app, typename T::SavedThread saved,
             bool (*stay)(const typename T::SavedThread&),
             void (*root)(void* arg), void* arg, NoReadyThreads& ready) {
  { T::add_options(app, options) } -> std::same_as<void>;
  { T::layout(options) } -> std::same_as<rma::SegmentLayout>;
  { saved.frames } -> std::convertible_to<rma::RemotePtr<std::byte>>;
  {
    T::template create_thread<internal::AnyChild<T>>(arg)
    } -> std::same_as<void>;
  { threads.suspend(stay) } -> std::same_as<void>;
  { threads.make_ready(saved) } -> std::same_as<void>;
  threads.exit_to_scheduler();
  threads.exit_to(saved);
  { threads.run(root, arg, ready) } -> std::same_as<void>;
  { threads.end_run() } -> std::same_as<void>;
  { threads.live_threads() } -> std::same_as<uint64_t>;
  { seen.stats() } -> std::convertible_to<SchedulerStats>;
  { seen.region_bytes_max() } -> std::same_as<uint64_t>;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_
