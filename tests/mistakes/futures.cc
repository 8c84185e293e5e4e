// Futures that are claimed twice or never, or that stand for no task.

#include <array>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

long fib(long n) {
  if (n < 2) return n;
  const auto a = spawn([=] { return fib(n - 1); });
  const long b = fib(n - 2);
  return a.join() + b;
}

struct Large {
  std::array<long, 40> numbers;
};

// A task that outlives two discards.
void runs_for_long() {
  for (int i = 0; i < 10000; ++i) rma::idle();
}

const std::string kTwice = "rank \\d: a future is joined or discarded twice$";
const std::string kNone =
    "rank \\d: a future that stands for no task is joined or discarded$";
const std::string kForgotten =
    "at the end of the run .* each future is to be joined or discarded once$";

// The task's result lies where the task was spawned, here or, where its parent
// was stolen, elsewhere.
MISTAKE(in_root, joined_twice, kTold, kTwice, kOneAndMoving + "|--ranks=4") {
  const auto a = spawn([] { return 5; });
  a.join();
  a.join();
}
MISTAKE(in_root, joined_twice_spawn_between, kTold, kTwice, kOneAndMoving) {
  const auto a = spawn([] { return 5; });
  a.join();
  const auto b = spawn([] { return 6; });
  a.join();
  b.join();
}
MISTAKE(in_root, joined_and_discarded, kTold, kTwice, kOneAndMoving) {
  const auto a = spawn([] { return 5; });
  a.join();
  a.discard();
}
MISTAKE(in_root, discarded_and_joined, kTold, kTwice) {
  const auto a = spawn([] { return 5; });
  a.discard();
  a.join();
}
MISTAKE(in_root, discarded_twice, kTold, kTwice) {
  const auto a = spawn([] { return 5; });
  a.discard();
  a.discard();
}
MISTAKE(in_root, running_task_discarded_twice, kTold, kTwice, kMoving) {
  const auto a = spawn([] { runs_for_long(); });
  a.discard();
  a.discard();
}
MISTAKE(in_root, joined_by_parent_and_child, kTold, kTwice, kMoving) {
  for (int i = 0; i < 100; ++i) {
    const auto a = spawn([] { return fib(8); });
    const auto b = spawn([a] { return a.join(); });
    a.join();
    b.join();
  }
}
MISTAKE(in_root, no_task_joined, kTold, kNone, kOneRank) {
  Future<long>().join();
}
MISTAKE(in_root, no_task_discarded, kTold, kNone) { Future<long>().discard(); }
MISTAKE(in_root, never_joined, kTold, kForgotten) {
  [[maybe_unused]] const auto a = spawn([] { return 5; });
}
MISTAKE(in_root, many_never_joined, kTold,
        "the memory of task entries is exhausted: .* raise --entry_bytes$",
        kOneRank) {
  for (int i = 0; i < 100000; ++i)
    [[maybe_unused]] const auto a = spawn([] { return Large{}; });
}

// Mistakes with futures that have several consumers.
MISTAKE(in_root, consumer_that_there_is_not, kTold,
        "rank \\d: consumer 2 of a shared future with 2 consumers, 0 to 1$") {
  const auto a = spawn<2>([] { return 5; });
  a.join(0);
  a.join(2);
}
MISTAKE(in_root, consumer_joins_twice, kTold, kTwice, kOneAndMoving) {
  const auto a = spawn<2>([] { return fib(5); });
  a.join(1);
  a.join(1);
}
MISTAKE(in_root, consumer_joins_and_discards, kTold, kTwice, kMoving) {
  const auto a = spawn<2>([] { return Large{}; });
  a.join(0);
  a.discard(0);
}
MISTAKE(in_root, consumer_discards_twice, kTold, kTwice, kMoving) {
  const auto a = spawn<2>([] { runs_for_long(); });
  a.discard(0);
  a.discard(0);
}
MISTAKE(in_root, two_tasks_as_one_consumer, kTold, kTwice, kOneAndMoving) {
  const auto a = spawn<2>([] { return fib(8); });
  const auto b = spawn([a] { return a.join(1); });
  const auto c = spawn([a] { return a.join(1); });
  b.join();
  c.join();
  a.join(0);
}

MISTAKE(in_root, grain_of_a_sum, kTold, "rank 0: a loop's grain is below 1$") {
  parallel_reduce(
      0, 100, -1, 0, [](int64_t) { return 1; },
      [](int a, int b) { return a + b; });
}

}  // namespace
}  // namespace magpie::mistakes
