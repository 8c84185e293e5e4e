// A thread layer for testing greedy join by itself: what would leave the
// calling execution throws instead, so that a test plays both threads of a
// join, one call after the other, in the order that it is about.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_FAKE_THREADS_H_
#define MAGPIE_IMPL_GREEDY_JOIN_FAKE_THREADS_H_

#include <functional>
#include <type_traits>

#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

// What is thrown in the place of leaving: for what the caller would have left.
struct Suspended {};
struct LeftEmptyRegion {};
struct LeftFor {
  rma::RemotePtr<std::byte> frames;
};

class FakeThreads {
 public:
  struct Context {};
  struct SavedThread {
    rma::RemotePtr<std::byte> frames;
    uint64_t more = 0;
  };
  struct Options {};

  static void add_options(CLI::App&, Options&) {}
  static rma::SegmentLayout layout(const Options&) { return {}; }
  explicit FakeThreads(const Options&) {}

  template <typename... Args>
  static void fork(void (*)(Context*, Args...), std::type_identity_t<Args>...) {
  }
  void begin_child(Context*) {}
  bool end_child(Context*) { return parent_here; }

  // The thread is known as kFrames. Returns where it goes on in place.
  template <typename Stay>
  void suspend(Stay stay) {
    if (before_it_announces_itself) before_it_announces_itself();
    if (!stay(SavedThread{kFrames})) throw Suspended{};
  }
  [[noreturn]] void leave_empty_region() { throw LeftEmptyRegion{}; }
  [[noreturn]] void leave_for(const SavedThread& next) {
    throw LeftFor{next.frames};
  }

  void run(void (*)(void*), void*) {}
  void end_run() {}
  uint64_t live_threads() { return 0; }
  SchedulerStats stats() const { return {}; }
  uint64_t region_bytes_max() const { return 0; }

  static constexpr rma::RemotePtr<std::byte> kFrames = {0, 4711};

  // What the test decides.
  bool parent_here = false;
  std::function<void()> before_it_announces_itself;
};

static_assert(ThreadLayer<FakeThreads>);

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_FAKE_THREADS_H_
