// Boards with queens, and what the roots of programs have in common that place
// them.

#ifndef MAGPIE_BENCH_PROGRAMS_QUEENS_H_
#define MAGPIE_BENCH_PROGRAMS_QUEENS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/any_program.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie::bench {

// A board whose first rows have a queen each. The bits are the columns of the
// next row that these attack.
struct Board {
  uint32_t columns = 0, left = 0, right = 0;

  int rows() const { return std::popcount(columns); }
  uint32_t attacked() const { return columns | left | right; }
  // The board with one more queen, in a column that is not attacked.
  Board with(uint32_t queen) const {
    return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
  }
};

// Calls f with each board that has one queen more.
template <typename F>
void for_each_next(const Board& board, uint32_t all_columns, F f) {
  for (uint32_t free = all_columns & ~board.attacked(); free != 0;
       free &= free - 1)
    f(board.with(free & -free));
}

// Number of ways to fill the board's other rows. Adds the number of boards that
// are looked at to *boards.
inline uint64_t solutions(const Board& board, uint32_t all_columns,
                          uint64_t* boards) {
  ++*boards;
  if (board.columns == all_columns) return 1;
  uint64_t sum = 0;
  for_each_next(board, all_columns, [&](const Board& next) {
    sum += solutions(next, all_columns, boards);
  });
  return sum;
}

// Numbers of ways in which n queens can stand on a board of n by n, for n = 1,
// 2, ...: the On-Line Encyclopedia of Integer Sequences, A000170.
inline constexpr std::array<uint64_t, 20> kQueens = {
    1,       0,        0,        2,         10,         4,          40,
    92,      352,      724,      2680,      14200,      73712,      365596,
    2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};

// Text that says what is wrong with a number of ways; empty where it is right.
inline std::string queens_mismatch(int n, uint64_t solutions) {
  const uint64_t known = kQueens[static_cast<size_t>(n) - 1];
  return unless(solutions == known, n, " queens can stand in ", known, " ways");
}

inline void add_n(CLI::App& app, int& n) {
  flags::add_integer(
      app, "--n", n,
      "number of rows and queens; each more takes some 6 times as long", 1,
      static_cast<int>(kQueens.size()));
}

// Of task pools, where a task is a board whose first rows have a queen.
struct Queens {
  int n, cutoff;

  void add_options(CLI::App& app) {
    add_n(app, n);
    flags::add_integer(
        app, "--cutoff", cutoff,
        "a board with this number of rows left, or fewer, is one task", 0,
        static_cast<int>(kQueens.size()));
  }
  Fields params() const { return {{"n", n}, {"cutoff", cutoff}}; }

  // Does the work of a board's task: calls add(next) for each place of the next
  // row's queen; or, when `cutoff` rows or fewer are left, returns the number
  // of ways to fill them.
  template <typename Add>
  std::optional<uint64_t> run(const Board& board, Add add) const {
    uint64_t boards = 0;
    std::optional<uint64_t> found;
    if (n - board.rows() <= cutoff) {
      found = solutions(board, all_columns(), &boards);
    } else {
      ++boards;
      for_each_next(board, all_columns(), add);
    }
    rma::charge(kNode, boards);
    return found;
  }

 private:
  uint32_t all_columns() const { return (1u << n) - 1; }
};

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_QUEENS_H_
