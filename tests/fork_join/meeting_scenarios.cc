// Meetings of tasks: scenarios in which the board decides which comes first.
// They need several ranks, since a task that waits for its parent's
// continuation waits for a thief.

#include <array>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

void tell(int word) { board().word[word].fetch_add(1); }

// The root leaves its first rank for good: its child stays there until the root
// has gone on elsewhere, and nothing ever calls it back.
SCENARIO(root_moves) {
  Outcome outcome = {.answer = 7};
  spawn_counting(&outcome.moves, [] { await(0, 1); }).discard();
  check(outcome.moves == 1,
        "the child waits for the root, but the root is where the child is");
  tell(0);
  return outcome;
}

// A rank suspends a thread that has an ancestor in the region. Two ranks:
//
//   rank 0: first (waits for the root's word)      ends, resumes second
//   rank 1: root, second (joins first, suspends)   root again, in place; tells
//
// `first` can end only when the root has gone on after `second`, while the
// other rank is busy with `first`: so the root went on where it was.
SCENARIO(ancestor_in_region) {
  Outcome outcome;
  for (int64_t i = 1; i <= p.n; ++i) {
    const uint64_t round = static_cast<uint64_t>(i);
    const int start = place();
    const auto first = spawn([=] {
      await(0, round);
      return round;
    });
    const int here = place();
    check(here != start,
          "the child waits for the root, but the root is where the child is");
    std::array<uint64_t, 100> on_stack;
    on_stack.fill(round);
    const auto second = spawn([=] { return first.join() + 1; });
    check(places() > 2 || place() == here, "the ancestor went on elsewhere");
    for (uint64_t word : on_stack)
      check(word == round, "the ancestor's frames have changed");
    tell(0);
    check(second.join() == round + 1, "the result of the suspended thread");
    outcome.moves += place() != here;
  }
  return outcome;
}

// As above, with `n` ancestors in the region when the thread suspends. They go
// on one after the other, the root last, and find their children still waiting.
uint64_t ancestors(int64_t depth, Future<uint64_t> first) {
  if (depth == 0) return first.join();
  const auto child = spawn([=] { return ancestors(depth - 1, first); });
  tell(1);
  return child.join() + 1;
}

SCENARIO(lineage) {
  const auto first = spawn([] {
    await(0, 1);
    return uint64_t{5};
  });
  const auto last = spawn([=] { return ancestors(p.n, first); });
  const uint64_t before_the_root = board().word[1].load();
  check(places() > 2 || before_the_root == static_cast<uint64_t>(p.n),
        "an ancestor was passed over", before_the_root);
  tell(0);
  check(last.join() == 5 + static_cast<uint64_t>(p.n),
        "the result through all ancestors");
  return {};
}

// The window in which a joining thread loses its race is open from its look at
// the entry until its frames are copied: with 2 MiB of frames it is wide.
[[gnu::noinline]] uint64_t join_with_large_frame(uint64_t round,
                                                 uint64_t delay) {
  std::array<uint64_t, (2 << 20) / 8> frame;
  frame.fill(round);
  const auto task = spawn([=] {
    await(0, round);
    for (uint64_t i = 0; i < delay; ++i) asm volatile("");
    return round * 7;
  });
  tell(0);
  const uint64_t result = task.join();
  for (uint64_t word : frame)
    check(word == round, "the frames of a thread that joined have changed");
  return result;
}

SCENARIO(close_joins) {
  for (int64_t i = 1; i <= p.n; ++i) {
    const uint64_t round = static_cast<uint64_t>(i);
    const uint64_t delay = (round * 2654435761u) % 200000;
    check(join_with_large_frame(round, delay) == round * 7, "the task's result",
          round);
  }
  return {};
}

// Many threads, all evacuated, wait at once for a task that ends last.
SCENARIO(many_waiting) {
  constexpr size_t kTasks = 200;
  for (int64_t i = 1; i <= p.n; ++i) {
    const uint64_t round = static_cast<uint64_t>(i);
    Future<uint64_t> previous = spawn([=] {
      await(0, round);
      return round;
    });
    for (size_t k = 0; k < kTasks; ++k)
      previous = spawn([=] { return previous.join() + 1; });
    tell(0);
    check(previous.join() == round + kTasks, "the last of a chain", round);
  }
  return {};
}

}  // namespace
}  // namespace magpie::conformance
