// Futures that leave the task that spawned them.

#include <algorithm>
#include <array>
#include <bit>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

// Some work that spawns, and so may move to another rank in the middle.
uint64_t work(uint64_t seed, int depth) {
  if (depth == 0) return seed;
  const auto left = spawn([=] { return work(seed * 3, depth - 1); });
  return left.join() + work(seed * 5, depth - 1);
}
uint64_t plain_work(uint64_t seed, int depth) {
  return depth == 0 ? seed
                    : plain_work(seed * 3, depth - 1) +
                          plain_work(seed * 5, depth - 1);
}

// A task's closure holds another task's future, and joins it.
SCENARIO(in_closure) {
  for (int64_t i = 0; i < p.n; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    const auto first = spawn([=] { return work(seed, 3); });
    const auto second = spawn([=] { return first.join() + work(seed + 1, 2); });
    const auto third = spawn([=] { return second.join() * 2; });
    check(third.join() == 2 * (plain_work(seed, 3) + plain_work(seed + 1, 2)),
          "the third task's result", seed);
  }
  return {};
}

// A task's result is a future.
SCENARIO(in_result) {
  for (int64_t i = 0; i < p.n; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    const auto outer = spawn([=] {
      const auto middle =
          spawn([=] { return spawn([=] { return work(seed, 3); }); });
      work(seed, 1);
      return middle;
    });
    check(outer.join().join().join() == plain_work(seed, 3),
          "the innermost task's result", seed);
  }
  return {};
}

struct Random {
  uint64_t state;
  uint64_t below(uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  }
};

// Futures are joined in a random order.
SCENARIO(any_order) {
  constexpr size_t kTasks = 32;
  Random random = {1};
  Outcome outcome;
  for (int64_t round = 0; go_on(p, round, outcome); ++round) {
    std::array<Future<uint64_t>, kTasks> tasks;
    std::array<uint8_t, kTasks> order;
    for (size_t i = 0; i < kTasks; ++i) {
      tasks[i] = spawn_counting(&outcome.moves, [i] { return work(i, 2); });
      order[i] = static_cast<uint8_t>(i);
    }
    for (size_t i = kTasks; i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
    for (const size_t i : order)
      check(tasks[i].join() == plain_work(i, 2), "a task's result", i);
  }
  return outcome;
}

// A leaf and a task that joins it, and others before them: a thief that steals
// several at once may have both, run the leaf in the midst of its join, and be
// busy after that. No task joins one that could be buried.
SCENARIO(pairs) {
  constexpr size_t kPairs = 6;
  for (int64_t i = 0; i < p.n; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    std::array<Future<uint64_t>, 2 * kPairs> others;
    std::array<Future<uint64_t>, kPairs> users;
    size_t count = 0;
    for (size_t k = 0; k < kPairs; ++k) {
      for (size_t n = (seed + k) % 3; n > 0 && count < others.size(); --n)
        others[count++] = spawn([=] { return plain_work(seed, 1); });
      const auto leaf = spawn([=] { return plain_work(seed + k, 2); });
      users[k] = spawn([=] { return leaf.join() + work(seed, 3); });
    }
    for (size_t k = 0; k < kPairs; ++k) {
      check(users[k].join() == plain_work(seed + k, 2) + plain_work(seed, 3),
            "a user's result", seed);
    }
    for (size_t k = 0; k < count; ++k)
      check(others[k].join() == plain_work(seed, 1), "a leaf's result", seed);
  }
  return {};
}

// A random graph of tasks, each of which has up to three earlier ones in its
// closure, and joins or discards them.
struct Dag {
  static constexpr size_t kOpen = 24;

  struct Task {
    Future<uint64_t> future;
    uint64_t expected;
  };
  Random random;
  std::array<Task, kOpen> open;
  size_t count = 0;

  Task take() {
    std::swap(open[random.below(count)], open[count - 1]);
    return open[--count];
  }

  void add(uint64_t seed) {
    const size_t uses = std::min<size_t>(random.below(4), count);
    std::array<Future<uint64_t>, 3> inputs;
    uint64_t expected = plain_work(seed, 2);
    for (size_t i = 0; i < uses; ++i) {
      const Task input = take();
      inputs[i] = input.future;
      expected += input.expected * (i + 1);
    }
    open[count++] = {spawn([=] {
                       uint64_t sum = work(seed, 2);
                       for (size_t i = 0; i < uses; ++i)
                         sum += inputs[i].join() * (i + 1);
                       return sum;
                     }),
                     expected};
  }
};

SCENARIO(dag) {
  Dag dag = {{1}, {}, 0};
  for (int64_t i = 0; i < p.n; ++i) {
    if (dag.count < Dag::kOpen) dag.add(static_cast<uint64_t>(i));
    switch (dag.random.below(6)) {
      case 0:
        if (dag.count > 0) dag.take().future.discard();
        break;
      case 1:
        if (dag.count > 0) {
          const Dag::Task task = dag.take();
          check(task.future.join() == task.expected, "a task's result", i);
        }
        break;
    }
  }
  while (dag.count > 0) {
    const Dag::Task task = dag.take();
    check(task.future.join() == task.expected, "a task's result, at the end");
  }
  return {};
}

// Futures are discarded at once, after other work, by another task; with and
// without a result. The end of the run waits for all of their tasks.
SCENARIO(discard) {
  for (int64_t i = 0; i < p.n; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    spawn([=] { work(seed, 2); }).discard();
    spawn([=] { return work(seed, 3); }).discard();
    const auto later = spawn([=] { return work(seed, 2); });
    const auto elsewhere = spawn([=] { return work(seed, 4); });
    const auto user = spawn([=] { elsewhere.discard(); });
    work(seed, 3);
    later.discard();
    if (i % 2 == 0) {
      user.join();
    } else {
      user.discard();
    }
  }
  return {};
}

// Each of n tasks joins the next, and the last one the first: nobody ever ends.
SCENARIO(ring) {
  constexpr size_t kMost = 8;
  const auto n = static_cast<size_t>(p.n);
  check(n <= kMost, "too many tasks");
  // The futures are on the board, whose first word says that all are there.
  using Words = std::array<uint64_t, 2>;
  std::array<Future<uint64_t>, kMost> tasks;
  for (size_t i = 0; i < n; ++i) {
    tasks[i] = spawn([next = (i + 1) % n] {
      await(0, 1);
      const Words words = {board().word[1 + 2 * next].load(),
                           board().word[2 + 2 * next].load()};
      return std::bit_cast<Future<uint64_t>>(words).join();
    });
    const Words words = std::bit_cast<Words>(tasks[i]);
    board().word[1 + 2 * i].store(words[0]);
    board().word[2 + 2 * i].store(words[1]);
  }
  board().word[0].store(1);
  return {tasks[0].join()};
}

// Many tasks that nobody has joined yet.
template <size_t kTasks>
uint64_t outstanding() {
  std::array<Future<uint64_t>, kTasks> tasks;
  for (size_t i = 0; i < kTasks; ++i) tasks[i] = spawn([i] { return i * i; });
  for (size_t i = 0; i < kTasks; ++i)
    check(tasks[i].join() == i * i, "a task's result", i);
  return kTasks;
}

SCENARIO(many) { return {outstanding<100000>()}; }
SCENARIO(some) { return {outstanding<500>()}; }

}  // namespace
}  // namespace magpie::conformance
