// A task that leaves a stack without a guard page, as in a process of very many
// ranks, is told of when it waits or ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>

#include "common/rma/rma.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/rtc.h"

namespace magpie::child_steal {
namespace {

using testing::ContainsRegex;
using testing::ExitedWithCode;

constexpr size_t kStackBytes = 32 << 10;

// A rank that has no task.
struct Idle {
  static bool is_started_here(const Handle&) { return false; }
  static int started_on(const Handle&) { return -1; }
  static bool is_done(const Handle&) { return true; }
  static bool is_over() { return true; }
  static bool pop(Descriptor*) { return false; }
  static void start(const Descriptor&) {}
  template <typename... Search>
  static bool search(Search...) {
    return false;
  }
};

// Writes to a frame that reaches beyond the end of the stack.
[[gnu::noinline]] void leave_the_stack() {
  volatile std::byte frame[kStackBytes + kStackBytes / 2];
  for (volatile std::byte& byte : frame) byte = std::byte{0};
}

// Runs body(threads, rank) where no stack has a guard page.
template <typename Threads, typename Body>
void without_guards(Body body) {
  rma::launch(
      {.heap_bytes = 1 << 12},
      [](void* body) {
        rma::self().ranks_in_process = 100'000;
        Threads threads(kStackBytes);
        Idle rank;
        (*static_cast<Body*>(body))(threads, rank);
        return 0;
      },
      &body);
}

// Expects to be told, of a task that runs on top of a join or is started, and
// that waits or ends.
template <typename Threads>
void expect_told(const char* words) {
  const auto in_root = [](auto task) {
    without_guards<Threads>([task](Threads& threads, Idle& rank) {
      const auto root = [&] { task(threads, rank); };
      threads.run(rank, &root);
    });
  };
  const auto ends = [](auto&, auto&) { leave_the_stack(); };
  const auto waits = [](auto& threads, auto& rank) {
    leave_the_stack();
    threads.wait(rank, Handle{});
    _exit(0);
  };
  const auto called = [](auto& threads, auto&) {
    threads.call([] { leave_the_stack(); });
    _exit(0);
  };
  EXPECT_EXIT(in_root(ends), ExitedWithCode(1), ContainsRegex(words));
  EXPECT_EXIT(in_root(waits), ExitedWithCode(1), ContainsRegex(words));
  if (!Threads::kBuries) {
    EXPECT_EXIT(in_root(called), ExitedWithCode(1), ContainsRegex(words));
  }
}

TEST(CanariesDeathTest, OfFullThreads) {
  expect_told<Full<Scheduler<true>>>("the stack of a task is exhausted");
}

TEST(CanariesDeathTest, OfRunToCompletionThreads) {
  expect_told<RtC>("the stack of tasks is exhausted");
}

}  // namespace
}  // namespace magpie::child_steal
