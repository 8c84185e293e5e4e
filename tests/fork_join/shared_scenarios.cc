// Futures with several consumers (cluster22 §V-D): joined and discarded by the
// parent, by siblings and by strangers, before and after the task has ended.

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

uint64_t fib(uint64_t n) {
  if (n < 2) return n;
  const auto left = spawn([=] { return fib(n - 1); });
  const uint64_t right = fib(n - 2);
  return left.join() + right;
}
constexpr uint64_t kFib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};

// Use that a consumer makes of a shared future: bits of a random number decide.
enum class Use { kParentJoins, kParentDiscards, kTaskJoins, kTaskDiscards };
constexpr Use use_of(uint64_t choices, uint32_t consumer) {
  return static_cast<Use>(choices >> (2 * consumer) & 3);
}

// A task of some length and its consumers, which do what `choices` say.
template <uint32_t kConsumers>
void meet(uint64_t size, uint64_t choices) {
  const auto task = spawn<kConsumers>([=] { return fib(size) + choices; });
  std::array<Future<uint64_t>, kConsumers> users;
  for (uint32_t c = 0; c < kConsumers; ++c) {
    switch (use_of(choices, c)) {
      case Use::kTaskJoins:
        users[c] = spawn([=] { return task.join(c) - fib(size); });
        break;
      case Use::kTaskDiscards:
        users[c] = spawn([=] {
          task.discard(c);
          return choices;
        });
        break;
      case Use::kParentDiscards:
        task.discard(c);
        break;
      case Use::kParentJoins:
        break;
    }
  }
  fib((size + choices) % 6);
  for (uint32_t c = 0; c < kConsumers; ++c) {
    const Use use = use_of(choices, c);
    if (use == Use::kTaskJoins || use == Use::kTaskDiscards)
      check(users[c].join() == choices, "a consumer's result", c);
    if (use == Use::kParentJoins)
      check(task.join(c) == kFib[size] + choices, "the parent's result", c);
  }
}

SCENARIO(shared) {
  constexpr void (*kMeetings[])(uint64_t, uint64_t) = {meet<1>, meet<2>,
                                                       meet<3>, meet<4>};
  uint64_t random = 1;
  for (int64_t i = 0; i < p.n; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t choices = random >> 40;
    const uint64_t size = random >> 33 & 7;
    kMeetings[i % 4](size, choices);
  }
  return {};
}

// A grid of tasks, each of which waits for its left, upper and diagonal
// neighbour, as in a wavefront (cluster22 §V-D). Results are no small ones.
struct Cell {
  std::array<uint64_t, 12> values;
};
using CellFuture = SharedFuture<Cell, 3>;
constexpr size_t kSide = 8;

Cell combined(const Cell& left, const Cell& above, const Cell& diagonal,
              uint64_t seed) {
  Cell cell;
  for (size_t i = 0; i < cell.values.size(); ++i) {
    cell.values[i] = left.values[i] * 3 + above.values[i] * 5 +
                     diagonal.values[i] * 7 + seed + i;
  }
  return cell;
}

Cell expected_last(uint64_t seed) {
  std::array<std::array<Cell, kSide + 1>, kSide + 1> cells = {};
  for (size_t r = 1; r <= kSide; ++r) {
    for (size_t c = 1; c <= kSide; ++c) {
      cells[r][c] = combined(cells[r][c - 1], cells[r - 1][c],
                             cells[r - 1][c - 1], seed + r * kSide + c);
    }
  }
  return cells[kSide][kSide];
}

// The three neighbours for which a cell waits; those beyond the border are
// zeros.
struct Neighbours {
  CellFuture left, above, diagonal;
  bool has_left, has_above;

  Cell wait(uint64_t seed) const {
    const Cell l = has_left ? left.join(0) : Cell{};
    fib(seed % 5);
    const Cell a = has_above ? above.join(1) : Cell{};
    const Cell d = has_left && has_above ? diagonal.join(2) : Cell{};
    return combined(l, a, d, seed);
  }
};

SCENARIO(wavefront) {
  for (int64_t i = 0; i < p.n; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    std::array<std::array<CellFuture, kSide + 1>, kSide + 1> cells;
    for (size_t r = 1; r <= kSide; ++r) {
      for (size_t c = 1; c <= kSide; ++c) {
        const Neighbours near = {cells[r][c - 1], cells[r - 1][c],
                                 cells[r - 1][c - 1], c > 1, r > 1};
        const uint64_t own = seed + r * kSide + c;
        cells[r][c] = spawn<3>([=] { return near.wait(own); });
      }
    }
    const Cell last = cells[kSide][kSide].join(0);
    check(last.values == expected_last(seed).values, "the last cell", seed);
    cells[kSide][kSide].discard(1);
    cells[kSide][kSide].discard(2);
    for (size_t k = 1; k < kSide; ++k) {
      cells[k][kSide].discard(0);
      cells[k][kSide].discard(2);
      cells[kSide][k].discard(1);
      cells[kSide][k].discard(2);
    }
  }
  return {};
}

// The greatest number of consumers, all of which wait when the task ends: all
// are ready at once. Each has some work after that, which others may steal
// meanwhile. REQUIRES: queues hold so many tasks. Where one is full, a child is
// run at once and may make its parent wait for the task that waits for it here.
SCENARIO(all_wait) {
  constexpr uint32_t kConsumers = TypeInfo::kMostConsumers;
  for (int64_t i = 1; i <= p.n; ++i) {
    const uint64_t round = static_cast<uint64_t>(i);
    const auto task = spawn<kConsumers>([=] {
      await(0, round);
      return round;
    });
    std::array<Future<uint64_t>, kConsumers> users;
    for (uint32_t c = 0; c < kConsumers; ++c)
      users[c] = spawn([=] { return task.join(c) + fib(5); });
    board().word[0].fetch_add(1);
    for (const auto& user : users)
      check(user.join() == round + kFib[5], "a consumer's result", round);
  }
  return {};
}

}  // namespace
}  // namespace magpie::conformance
