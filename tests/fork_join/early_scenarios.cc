// Runs that a task ends early.

#include <cstdint>

#include "common/fork_join/fork_join.h"
#include "common/fork_join/parallel.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

// Returns how many numbers of a range were looked at; the wanted one ends the
// run.
int64_t look(int64_t first, int64_t last, int64_t wanted) {
  if (run_is_ending()) return 0;
  if (last - first == 1) {
    if (first == wanted) end_run(Outcome{.answer = 42, .moves = 43});
    return 1;
  }
  const int64_t middle = first + (last - first) / 2;
  auto left = spawn([=] { return look(first, middle, wanted); });
  const int64_t right = look(middle, last, wanted);
  return left.join() + right;
}

SCENARIO(ended) {
  const int64_t looked_at = look(0, p.n, p.n / 3);
  check(looked_at >= 1 && looked_at <= p.n, "more numbers than there are",
        looked_at);
  check(run_is_ending(),
        "who has joined the task that ended the run does not know");
  check(look(0, p.n, -1) == 0, "a task that begins later does not know");
  return {.answer = 1, .moves = 1};
}

// All tasks end the run: the first value counts, and all of it.
SCENARIO(ended_by_all) {
  parallel_for(0, p.n, p.grain, [](int64_t i) {
    const auto mine = static_cast<uint64_t>(i) + 1;
    end_run(Outcome{.answer = mine, .moves = mine});
  });
  return {};
}

// The root's result stays what it is; a value may come later, and the first
// that comes counts.
SCENARIO(ended_without_value) {
  check(!run_is_ending(), "the run ends before it was ended");
  spawn([] { end_run(); }).join();
  check(run_is_ending(), "the run does not end");
  const int64_t looked_at = spawn([n = p.n] { return look(0, n, 0); }).join();
  check(looked_at == 0, "a task that begins later does not know");
  return {.answer = 7};
}
SCENARIO(ended_with_value_later) {
  const Outcome outcome = ended_without_value(p);
  spawn([] { end_run(Outcome{.answer = 8}); }).join();
  spawn([] { end_run(Outcome{.answer = 9}); }).join();
  return outcome;
}

}  // namespace
}  // namespace magpie::conformance
