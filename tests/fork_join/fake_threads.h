// A thread layer for testing greedy join by itself: what would leave the
// calling execution throws instead, so that a test plays both threads of a
// join, one call after the other, in the order that it is about.

#ifndef MAGPIE_TESTS_FORK_JOIN_FAKE_THREADS_H_
#define MAGPIE_TESTS_FORK_JOIN_FAKE_THREADS_H_

#include <functional>

#include "common/fork_join/report.h"
#include "common/rma/rma.h"

namespace magpie {

// Where the caller would have left for.
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

  explicit FakeThreads(const Options&) { rma::self().local = this; }

  static FakeThreads& self() {
    return *static_cast<FakeThreads*>(rma::self().local);
  }

  template <typename... Args>
  static void fork(void (*)(Context*, Args...), std::type_identity_t<Args>...) {
  }
  void begin_child(Context*) {}

  bool end_child(Context*) { return parent_here; }

  // The thread is known as kFrames. Returns where the thread goes on in place.
  template <typename Stay>
  static void suspend(Stay stay) {
    if (self().before_it_announces_itself) self().before_it_announces_itself();
    if (!stay(SavedThread{kFrames})) throw Suspended{};
  }

  [[noreturn]] void leave_empty_region() { throw LeftEmptyRegion{}; }
  [[noreturn]] void leave_for(const SavedThread& next) {
    throw LeftFor{next.frames};
  }
  SchedulerStats& stats() { return stats_; }

  static constexpr rma::RemotePtr<std::byte> kFrames = {0, 4711};

  // What the test decides.
  bool parent_here = false;
  std::function<void()> before_it_announces_itself;

 private:
  SchedulerStats stats_;
};

}  // namespace magpie

#endif  // MAGPIE_TESTS_FORK_JOIN_FAKE_THREADS_H_
