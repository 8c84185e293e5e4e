// nqueens: in how many ways can n queens stand on a board of n by n so that
// none attacks another? A task is a board whose first rows have a queen. It
// adds a task for each place of the next row's queen; when --cutoff rows or
// fewer are left, it goes through their places itself.

#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/programs.h"
#include "bench/programs/queens.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

struct PlaceQueens {
  Board board;
  void operator()() const;
};

struct Queens {
  static constexpr uint32_t kTaskBytes = sizeof(PlaceQueens);

  int n = 12;
  int cutoff = 7;

  uint32_t all_columns() const { return (1u << n) - 1; }
  void operator()() const { add(PlaceQueens{}); }
};

void PlaceQueens::operator()() const {
  const Queens& queens = pool_root<Queens>();
  uint64_t boards = 0;
  if (queens.n - board.rows() <= queens.cutoff) {
    merge(solutions(board, queens.all_columns(), &boards));
  } else {
    ++boards;
    for_each_next(board, queens.all_columns(),
                  [](const Board& next) { add(PlaceQueens{next}); });
  }
  rma::charge(kNode, boards);
}

}  // namespace

int nqueens_main(int argc, char** argv) {
  flags::App app("Counts the ways to place queens on a chess board.",
                 "nqueens");
  Queens queens;
  flags::add_integer<int>(
      app, "--n", queens.n,
      "number of rows and queens; each more takes some 6 times as long", 1,
      static_cast<int>(kQueens.size()));
  flags::add_integer<int>(
      app, "--cutoff", queens.cutoff,
      "a board with this number of rows left, or fewer, is one task", 0,
      static_cast<int>(kQueens.size()));
  const Arguments arguments = parse_for_pool(app, argc, argv);
  uint64_t solutions = 0;
  return run_in_pool(arguments, {{"n", queens.n}, {"cutoff", queens.cutoff}},
                     queens, &solutions, [&] {
                       return Answer{
                           .result = {{"solutions", solutions}},
                           .mismatch = queens_mismatch(queens.n, solutions)};
                     });
}

}  // namespace magpie::bench
