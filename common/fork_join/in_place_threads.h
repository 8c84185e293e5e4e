// The simplest thread layer: nothing is ever stolen. The root's rank runs the
// whole program, depth first, by plain calls; the others wait for its end.
//
// This one is to be read first, and joins are tested with it.
//
// Thread safety: belongs to one rank. Invariant: a thread ends before its
// parent goes on, so that nobody ever has to wait for one.

#ifndef MAGPIE_COMMON_FORK_JOIN_IN_PLACE_THREADS_H_
#define MAGPIE_COMMON_FORK_JOIN_IN_PLACE_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/run/region.h"
#include "common/stealing/group.h"

namespace magpie {

class InPlaceThreads {
 public:
  static constexpr bool kMigrates = false;

  struct SavedThread {
    rma::RemotePtr<std::byte> frames;
  };
  struct Options {
    uint64_t region_bytes = kDefaultRegionBytes;
  };

  static void add_options(CLI::App& app, Options& options) {
    add_region_bytes(app, options.region_bytes);
  }
  static rma::SegmentLayout layout(const Options& options) {
    return {.region_bytes = options.region_bytes,
            .heap_bytes = EndOfRun::heap_bytes(),
            .region_overflow = kRegionOverflow};
  }
  InPlaceThreads(const Options&, int root) : root_(root) {}

  // Nobody takes a parent, so that it need not be saved.
  template <typename... Args>
  static void create_thread(void (*start)(context::Context*, Args...),
                            std::type_identity_t<Args>... args) {
    start(nullptr, args...);
  }
  void offer_parent(context::Context*) {}
  bool reclaim_parent(context::Context*) { return true; }
  bool reclaim_at_once(context::Context*) { return true; }

  template <typename Stay>
  void suspend(Stay stay) {
    if (!stay(SavedThread{{rma::rank(), 0}}))
      rma::fatal("deadlock: every task waits for another one");
  }
  void make_ready(const SavedThread& thread) { exit_to(thread); }
  [[noreturn]] void exit_to_scheduler() { context::resume(scheduler_); }
  [[noreturn]] void exit_to(const SavedThread&) {
    rma::fatal("nobody waits: there are no suspended threads");
  }

  // Runs the root on the region, as all thread layers do. Nobody waits, so
  // nobody is asked for ready threads.
  template <typename Ready>
  void run(void (*root)(void* arg), void* arg, Ready&) {
    if (rma::rank() == root_) {
      std::byte* const end = rma::self().region + rma::self().region_bytes;
      rma::use_region(end, end);
      context::save_and_call([this, root, arg](context::Context* scheduler) {
        scheduler_ = scheduler;
        context::start_on_stack(rma::self().region + rma::self().region_bytes,
                                root, arg);
      });
      rma::leave_region();
    }
    while (!end_.poll()) rma::idle();
    rma::flush_all();
  }
  void end_run() { end_.announce(); }

  uint64_t live_threads() { return 0; }
  SchedulerStats stats() const { return {}; }
  uint64_t region_bytes_max() const { return 0; }
  bool hooks_spawns() const { return false; }
  void after_spawn() {}

 private:
  const int root_;
  EndOfRun end_;
  context::Context* scheduler_ = nullptr;
};

static_assert(ThreadLayer<InPlaceThreads>);

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_IN_PLACE_THREADS_H_
