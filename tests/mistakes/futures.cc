// Futures that are claimed twice or never, or that stand for no task.

#include <array>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
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

// Joins twice: the task's result lies where the task was spawned, here or,
// where its parent was stolen, elsewhere.
void joins_twice() {
  const auto a = spawn([] { return 5; });
  a.join();
  a.join();
}
void joins_twice_with_a_spawn_between() {
  const auto a = spawn([] { return 5; });
  a.join();
  const auto b = spawn([] { return 6; });
  a.join();
  b.join();
}
void joins_twice_with_many_between() {
  const auto a = spawn([] { return 5l; });
  a.join();
  fib(12);
  const auto b = spawn([] { return 6l; });
  a.join();
  b.join();
}
void joins_a_large_result_twice() {
  const auto a = spawn([] { return Large{}; });
  a.join();
  const auto b = spawn([] { return Large{}; });
  a.join();
  b.join();
}
void joins_and_discards() {
  const auto a = spawn([] { return 5; });
  a.join();
  a.discard();
}
void discards_and_joins() {
  const auto a = spawn([] { return 5; });
  a.discard();
  a.join();
}
void discards_twice() {
  const auto a = spawn([] { return 5; });
  a.discard();
  a.discard();
}
// The task outlives both discards.
void discards_a_running_task_twice() {
  const auto a = spawn([] {
    for (int i = 0; i < 10000; ++i) rma::idle();
  });
  a.discard();
  a.discard();
}
void two_tasks_join() {
  const auto a = spawn([] { return fib(5); });
  const auto b = spawn([a] { return a.join(); });
  const auto c = spawn([a] { return a.join(); });
  b.join();
  c.join();
}
void parent_and_child_join() {
  for (int i = 0; i < 100; ++i) {
    const auto a = spawn([] { return fib(8); });
    const auto b = spawn([a] { return a.join(); });
    a.join();
    b.join();
  }
}

// Tasks move where children are stolen, their parents where continuations are.
void joins_none_elsewhere() {
  const auto mistake = [] {
    if (rma::rank() != 0) Future<long>().join();
  };
  for (;;) {
    spawn([mistake] {
      fib(5);
      mistake();
    }).join();
    mistake();
  }
}
void forgets_to_join() {
  [[maybe_unused]] const auto a = spawn([] { return 5; });
}
void forgets_a_large_result() {
  [[maybe_unused]] const auto a = spawn([] { return Large{}; });
}
void forgets_many() {
  for (int i = 0; i < 100000; ++i)
    [[maybe_unused]] const auto a = spawn([] { return Large{}; });
}

// Mistakes with futures that have several consumers.
void joins_for_none_of_two() {
  const auto a = spawn<2>([] { return 5; });
  a.join(0);
  a.join(2);
}
void one_of_two_joins_twice() {
  const auto a = spawn<2>([] { return fib(5); });
  a.join(1);
  a.join(1);
}
void one_of_two_joins_and_discards() {
  const auto a = spawn<2>([] { return Large{}; });
  a.join(0);
  a.discard(0);
}
void one_of_two_discards_twice() {
  const auto a = spawn<2>([] {
    for (int i = 0; i < 10000; ++i) rma::idle();
  });
  a.discard(0);
  a.discard(0);
}
void two_tasks_join_as_one_of_two() {
  const auto a = spawn<2>([] { return fib(8); });
  const auto b = spawn([a] { return a.join(1); });
  const auto c = spawn([a] { return a.join(1); });
  b.join();
  c.join();
  a.join(0);
}
void both_join_and_one_again() {
  const auto a = spawn<2>([] { return fib(5); });
  a.join(0);
  a.join(1);
  const auto b = spawn([] { return fib(5); });
  a.join(0);
  b.join();
}
void one_of_two_forgets() {
  const auto a = spawn<2>([] { return 5; });
  a.join(0);
}
void both_forget() {
  [[maybe_unused]] const auto a = spawn<2>([] { return 5; });
}

void grain_of_a_loop() {
  parallel_for(0, 100, 0, [](int64_t) {});
}
void grain_of_a_sum() {
  parallel_reduce(
      0, 100, -1, 0, [](int64_t) { return 1; },
      [](int a, int b) { return a + b; });
}

constexpr char kTwice[] = "rank \\d: a future is joined or discarded twice$";
constexpr char kNone[] =
    "rank \\d: a future that stands for no task is joined or discarded$";
constexpr char kForgotten[] =
    "at the end of the run .* each future is to be joined or discarded once$";

constexpr Mistake kMistakes[] = {
    {"joined_twice", in_run<joins_twice>, kTold, kTwice,
     "--ranks=1|--ranks=2 --forced_steal|--ranks=4"},
    {"joined_twice_spawn_between", in_run<joins_twice_with_a_spawn_between>,
     kTold, kTwice, kOneAndMoving},
    {"joined_twice_many_between", in_run<joins_twice_with_many_between>, kTold,
     kTwice},
    {"large_result_joined_twice", in_run<joins_a_large_result_twice>, kTold,
     kTwice, kOneRank},
    {"joined_and_discarded", in_run<joins_and_discards>, kTold, kTwice,
     kOneAndMoving},
    {"discarded_and_joined", in_run<discards_and_joins>, kTold, kTwice},
    {"discarded_twice", in_run<discards_twice>, kTold, kTwice},
    {"running_task_discarded_twice", in_run<discards_a_running_task_twice>,
     kTold, kTwice, kMoving},
    {"joined_by_two_tasks", in_run<two_tasks_join>, kTold, kTwice, kOneRank},
    {"joined_by_parent_and_child", in_run<parent_and_child_join>, kTold, kTwice,
     kMoving},
    {"no_task_joined", in_run<[] { Future<long>().join(); }>, kTold, kNone,
     kOneRank},
    {"no_task_discarded", in_run<[] { Future<long>().discard(); }>, kTold,
     kNone},
    {"no_task_joined_elsewhere", in_run<joins_none_elsewhere>, kTold, kNone,
     kMoving},
    {"never_joined", in_run<forgets_to_join>, kTold, kForgotten},
    {"large_result_never_joined", in_run<forgets_a_large_result>, kTold,
     kForgotten},
    {"many_never_joined", in_run<forgets_many>, kTold,
     "the memory of task entries is exhausted: .* raise --entry_bytes$",
     kOneRank},
    {"consumer_that_there_is_not", in_run<joins_for_none_of_two>, kTold,
     "rank \\d: consumer 2 of a shared future with 2 consumers, 0 to 1$"},
    {"consumer_joins_twice", in_run<one_of_two_joins_twice>, kTold, kTwice,
     kOneAndMoving},
    {"consumer_joins_and_discards", in_run<one_of_two_joins_and_discards>,
     kTold, kTwice, kMoving},
    {"consumer_discards_twice", in_run<one_of_two_discards_twice>, kTold,
     kTwice, kMoving},
    {"two_tasks_as_one_consumer", in_run<two_tasks_join_as_one_of_two>, kTold,
     kTwice, kOneAndMoving},
    {"consumer_joins_after_all", in_run<both_join_and_one_again>, kTold, kTwice,
     kOneRank},
    {"consumer_forgets", in_run<one_of_two_forgets>, kTold, kForgotten},
    {"consumers_forget", in_run<both_forget>, kTold, kForgotten},
    {"no_shared_task_joined", in_run<[] { SharedFuture<long, 2>().join(1); }>,
     kTold, kNone},
    {"grain_of_a_loop", in_run<grain_of_a_loop>, kTold,
     "rank 0: a loop's grain is below 1$", kOneRank},
    {"grain_of_a_sum", in_run<grain_of_a_sum>, kTold,
     "rank 0: a loop's grain is below 1$"},
};

}  // namespace

std::span<const Mistake> futures() { return kMistakes; }

}  // namespace magpie::mistakes
