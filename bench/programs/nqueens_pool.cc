// nqueens: in how many ways can n queens stand on a board of n by n so that
// none attacks another? A task is a board whose first rows have a queen. It
// adds a task for each place of the next row's; when --cutoff rows or fewer are
// left, it goes through their places itself.

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/pool_program.h"
#include "bench/programs/node_cost.h"
#include "bench/programs/pool_programs.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// The known answers for boards of 1, 2, ... rows: the On-Line Encyclopedia of
// Integer Sequences, A000170.
constexpr std::array<uint64_t, 20> kSolutions = {
    1,       0,        0,        2,         10,         4,          40,
    92,      352,      724,      2680,      14200,      73712,      365596,
    2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};

// What the queens of the rows above attack in the next one, a bit a column.
struct Board {
  uint32_t columns = 0, left = 0, right = 0;

  int rows() const { return std::popcount(columns); }
  Board with(uint32_t queen) const {
    return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
  }
  void operator()() const;
};

struct Queens {
  static constexpr uint32_t kTaskBytes = sizeof(Board);

  int n = 12;
  int cutoff = 7;

  uint32_t all_columns() const { return (1u << n) - 1; }
  void operator()() const { add(Board{}); }
};

// Calls f with each board that has one queen more.
template <typename F>
void for_each_next(const Board& board, uint32_t all_columns, F f) {
  const uint32_t attacked = board.columns | board.left | board.right;
  for (uint32_t free = all_columns & ~attacked; free != 0; free &= free - 1)
    f(board.with(free & -free));
}

// Adds the number of boards that it looks at to *boards.
uint64_t solutions(const Board& board, uint32_t all_columns, uint64_t* boards) {
  ++*boards;
  if (board.columns == all_columns) return 1;
  uint64_t sum = 0;
  for_each_next(board, all_columns, [&](const Board& next) {
    sum += solutions(next, all_columns, boards);
  });
  return sum;
}

void Board::operator()() const {
  const Queens& queens = pool_root<Queens>();
  uint64_t boards = 0;
  if (queens.n - rows() <= queens.cutoff) {
    merge(solutions(*this, queens.all_columns(), &boards));
  } else {
    ++boards;
    for_each_next(*this, queens.all_columns(),
                  [](const Board& next) { add(next); });
  }
  rma::charge(kNode, boards);
}

std::string mismatch(int n, uint64_t solutions) {
  const uint64_t known = kSolutions[static_cast<size_t>(n) - 1];
  if (solutions == known) return "";
  return absl::StrCat(n, " queens can stand in ", known, " ways");
}

}  // namespace

int nqueens_main(int argc, char** argv) {
  flags::App app("Counts the ways to place queens on a chess board.",
                 "nqueens");
  Queens queens;
  flags::add_integer<int>(app, "--n", queens.n,
                          "rows, and queens; time grows by 6 or so with each",
                          1, static_cast<int>(kSolutions.size()));
  flags::add_integer<int>(
      app, "--cutoff", queens.cutoff,
      "a board on which so many rows are left, or fewer, is one task", 0,
      static_cast<int>(kSolutions.size()));
  const Arguments arguments = parse_for_pool(app, argc, argv);
  uint64_t solutions = 0;
  return run_in_pool(arguments, {{"n", queens.n}, {"cutoff", queens.cutoff}},
                     queens, &solutions, [&] {
                       return Answer{.result = {{"solutions", solutions}},
                                     .mismatch = mismatch(queens.n, solutions)};
                     });
}

}  // namespace magpie::bench
