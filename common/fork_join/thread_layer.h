// The concept of threads whose continuations can be stolen: what a policy of
// joining (impl/greedy_join) asks of them. The simplest class that meets it is
// in_place_threads.h; the suite for all is thread_layer_suite.h.
//
//   T::fork(child, a, b, c);         // a spawn, by the parent
//
//   void child(Context* parent, ...) {
//     ... take what is needed of the parent ...
//     threads.begin_child(parent);   // from here on it may be stolen
//     ... run the task; maybe on another rank afterwards ...
//     if (this rank's threads.end_child(parent)) return;
//     this rank's threads.leave_empty_region();  // or leave_for(somebody)
//   }
//
// A thread may go on on another rank after each fork and each suspend, where
// another instance serves it.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"

namespace CLI {
class App;
}

namespace magpie {

// One instance on each rank. T::Context is a saved execution; T::SavedThread,
// trivially copyable, names a suspended thread to every rank; its `frames` is
// null in a default-constructed one, which names none.
//
//   T::Options, add_options(app, options), T::layout(options)
//                         Flags; region and heap that an instance takes.
//   T(options)            Collective.
//
//   T::fork(child, args...)
//                         Saves the caller and calls child(context, args...).
//                         Returns when the child has and its parent was not
//                         stolen, or where a thief goes on with the parent.
//   begin_child(parent)   Offers the parent to thieves.
//   end_child(parent)     Takes it back. True: it goes on when the child
//                         returns. False: it was stolen, and nothing but the
//                         child is left here: it leaves.
//   suspend(stay)         Suspends the caller and calls stay(saved), which may
//                         give `saved` to others. When that returns true,
//                         suspend returns in place; else when somebody, on any
//                         rank, leaves for `saved`. Nobody else resumes it.
//   leave_empty_region()  Ends the caller; this rank looks for other work.
//   leave_for(saved)      Ends the caller and goes on with a suspended thread.
//                         REQUIRES of both: end_child returned false, or the
//                         caller is the root.
//
//   run(root, arg)        Collective. Runs root(arg), which leaves at its end,
//                         on rank 0 and what comes of it everywhere, until
//                         end_run() was called on some rank.
//   end_run()             From any rank, by a thread.
//   live_threads()        Suspended threads whose frames lie here.
//   stats(), region_bytes_max()
//                         What steals and suspensions there were; the most of
//                         the region that was ever in use here.
template <typename T>
concept ThreadLayer = std::default_initializable<typename T::Options> &&
    std::constructible_from<T, const typename T::Options&> &&
    std::default_initializable<typename T::SavedThread> &&
    std::is_trivially_copyable_v<typename T::SavedThread> &&
    requires(T threads, const T& seen, typename T::Options options,
             CLI::App& app, typename T::Context* parent,
             typename T::SavedThread saved,
             void (*child)(typename T::Context*, const void*, const void*,
                           void*),
             bool (*stay)(const typename T::SavedThread&),
             void (*root)(void* arg), void* arg) {
  { T::add_options(app, options) } -> std::same_as<void>;
  { T::layout(options) } -> std::same_as<rma::SegmentLayout>;
  { saved.frames } -> std::convertible_to<rma::RemotePtr<std::byte>>;
  { T::fork(child, nullptr, nullptr, nullptr) } -> std::same_as<void>;
  { threads.begin_child(parent) } -> std::same_as<void>;
  { threads.end_child(parent) } -> std::same_as<bool>;
  { threads.suspend(stay) } -> std::same_as<void>;
  threads.leave_empty_region();
  threads.leave_for(saved);
  { threads.run(root, arg) } -> std::same_as<void>;
  { threads.end_run() } -> std::same_as<void>;
  { threads.live_threads() } -> std::same_as<uint64_t>;
  { seen.stats() } -> std::convertible_to<SchedulerStats>;
  { seen.region_bytes_max() } -> std::same_as<uint64_t>;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_H_
