// A thread layer for testing ways to join by themselves: what would leave the
// calling execution throws instead, so that a test plays both threads of a
// join, one call after the other, in the order that it is about. Nothing runs
// on it; what else the concept asks for is that of InPlaceThreads.

#ifndef MAGPIE_COMMON_FORK_JOIN_FAKE_THREADS_H_
#define MAGPIE_COMMON_FORK_JOIN_FAKE_THREADS_H_

#include <functional>
#include <vector>

#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"

namespace magpie {

// Exceptions thrown in the place of leaving, one for each way to leave.
struct ExitedToScheduler {};
struct ExitedTo {
  rma::RemotePtr<std::byte> frames;
};

class FakeThreads : public InPlaceThreads {
 public:
  struct SavedThread {
    rma::RemotePtr<std::byte> frames;
    uint64_t more = 0;
  };

  using InPlaceThreads::InPlaceThreads;

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
