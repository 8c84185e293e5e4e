// Fork and join, loops, depth, and many of everything.

#include <array>

#include "common/fork_join/fork_join.h"
#include "common/fork_join/parallel.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

int64_t fib(int64_t n) {
  if (n < 2) return n;
  const auto a = spawn([=] { return fib(n - 1); });
  const int64_t b = fib(n - 2);
  return a.join() + b;
}

int64_t plain_fib(int64_t n) {
  return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

SCENARIO(fib) {
  const int64_t answer = fib(p.n);
  check(answer == plain_fib(p.n), "fib is wrong", answer);
  return {static_cast<uint64_t>(answer)};
}

// Tasks without a result, whose effect is on the board.
SCENARIO(no_result) {
  Outcome outcome;
  for (int64_t i = 0; go_on(p, i, outcome); ++i) {
    spawn_counting(&outcome.moves, [] { board().word[0].fetch_add(1); }).join();
    check(board().word[0].load() == static_cast<uint64_t>(i) + 1,
          "join came before the task's end");
  }
  return outcome;
}

// The hash of a sequence: an associative operation that is not commutative
// shows in which order the leaves were combined.
struct Matrix {
  uint64_t a = 1, b = 0, c = 0, d = 1;
  bool operator==(const Matrix&) const = default;
};

Matrix operator*(const Matrix& x, const Matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
          x.c * y.b + x.d * y.d};
}

Matrix element(int64_t i) {
  const uint64_t x = static_cast<uint64_t>(i) * 2 + 3;
  return {x, 1, x * x, 7};
}

// Lengths and grains of loops: none, one piece, pieces of unlike sizes, n.
struct Range {
  int64_t length, grain;
};
std::array<Range, 7> ranges(int64_t n) {
  return {{{0, 1}, {1, 1}, {2, 3}, {7, 1}, {7, 3}, {n, 1}, {n, 16}}};
}

SCENARIO(reduce) {
  const auto product = [](Matrix x, Matrix y) { return x * y; };
  for (const auto [length, grain] : ranges(p.n)) {
    const Matrix parallel = parallel_reduce(int64_t{5}, 5 + length, grain,
                                            Matrix{}, element, product);
    Matrix serial;
    for (int64_t i = 5; i < 5 + length; ++i) serial = serial * element(i);
    check(parallel == serial, "parallel_reduce combined in another order");
  }
  return {};
}

// Loops over each element once, whose bodies spawn, too.
SCENARIO(loop) {
  for (const auto [length, grain] : ranges(p.n)) {
    parallel_for(int64_t{0}, length, grain, [](int64_t i) {
      spawn([i] { board().word[i].fetch_add(1); }).join();
    });
    for (int64_t i = 0; i < static_cast<int64_t>(board().word.size()); ++i) {
      check(board().word[i].exchange(0) == (i < length ? 1 : 0),
            "parallel_for: not once each", i);
    }
  }
  return {};
}

// Tasks in tasks: all continuations lie in the region at once.
uint64_t descend(int64_t depth) {
  if (depth == 0) return 0;
  return spawn([=] { return descend(depth - 1); }).join() + 1;
}

SCENARIO(deep) {
  const uint64_t depth = descend(p.n);
  check(depth == static_cast<uint64_t>(p.n), "a level is missing", depth);
  return {depth};
}

// One task after the other: entries are recycled.
SCENARIO(in_a_row) {
  Outcome outcome;
  for (int64_t i = 0; go_on(p, i, outcome); ++i) {
    const auto task = spawn_counting(&outcome.moves, [i] { return i; });
    check(task.join() == i, "another task's result", i);
  }
  return outcome;
}

// Like in_a_row, but on all ranks at once and with two levels: objects are
// freed by other ranks, and threads suspend.
SCENARIO(rows) {
  const int64_t row = p.grain;
  const auto plus = [](uint64_t a, uint64_t b) { return a + b; };
  const uint64_t sum = parallel_reduce(
      int64_t{0}, p.n / row, 1, uint64_t{0},
      [row](int64_t i) {
        uint64_t sum = 0;
        for (int64_t j = 0; j < row; ++j) {
          sum +=
              static_cast<uint64_t>(spawn([=] { return i * row + j; }).join());
        }
        return sum;
      },
      plus);
  const uint64_t n = static_cast<uint64_t>(p.n / row * row);
  check(sum == n * (n - 1) / 2, "a result is missing or there twice", sum);
  return {sum};
}

}  // namespace
}  // namespace magpie::conformance
