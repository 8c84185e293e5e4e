// A thread layer for testing ways to join by themselves: what would leave the
// calling execution throws instead, so that a test plays both threads of a
// join, one call after the other, in the order that it is about.

#ifndef MAGPIE_COMMON_FORK_JOIN_FAKE_THREADS_H_
#define MAGPIE_COMMON_FORK_JOIN_FAKE_THREADS_H_

#include <functional>
#include <type_traits>
#include <vector>

#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"

namespace magpie {

// Exceptions thrown in the place of leaving, one for each way to leave.
struct ExitedToScheduler {};
struct ExitedTo {
  rma::RemotePtr<std::byte> frames;
};

class FakeThreads {
 public:
  struct SavedThread {
    rma::RemotePtr<std::byte> frames;
    uint64_t more = 0;
  };
  struct Options {};

  static void add_options(CLI::App&, Options&) {}
  static rma::SegmentLayout layout(const Options&) { return {}; }
  FakeThreads(const Options&, int) {}

  // Do nothing: a test plays both threads itself.
  template <typename... Args>
  static void create_thread(void (*)(context::Context*, Args...),
                            std::type_identity_t<Args>...) {}
  void offer_parent(context::Context*) {}
  // A null parent has been stolen.
  bool reclaim_parent(context::Context* parent) { return parent != nullptr; }
  bool reclaim_at_once(context::Context* parent) {
    return has_fast_path && parent != nullptr;
  }

  // The thread is known as kFrames. Returns where it goes on in place, or when
  // the test has gone on with it.
  template <typename Stay>
  void suspend(Stay stay) {
    // Copies: they may suspend others, for whom there are other hooks.
    const auto before = before_it_announces_itself;
    const auto until = until_it_is_resumed;
    if (before) before();
    if (stay(SavedThread{kFrames})) return;
    until();
  }
  void make_ready(const SavedThread& thread) { ready.push_back(thread.frames); }
  [[noreturn]] void exit_to_scheduler() { throw ExitedToScheduler{}; }
  [[noreturn]] void exit_to(const SavedThread& next) {
    throw ExitedTo{next.frames};
  }

  template <typename Ready>
  void run(void (*)(void*), void*, Ready&) {}
  void end_run() {}
  uint64_t live_threads() { return 0; }
  SchedulerStats stats() const { return {}; }
  uint64_t region_bytes_max() const { return 0; }
  bool hooks_spawns() const { return false; }
  void after_spawn() {}

  static constexpr rma::RemotePtr<std::byte> kFrames = {0, 4711};

  // Hooks of the test, called at these moments.
  std::function<void()> before_it_announces_itself;
  std::function<void()> until_it_is_resumed;

  // Whether reclaim_at_once() applies.
  bool has_fast_path = true;
  // Frames of the threads that were made ready.
  std::vector<rma::RemotePtr<std::byte>> ready;
};

static_assert(ThreadLayer<FakeThreads>);

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_FAKE_THREADS_H_
