// nqueens: in how many ways can n queens stand on a board of n by n so that
// none attacks another? A thread for each board, and a loop over the columns of
// its next row by divide and conquer, down to single columns (hpdc15 §6.1).
//
// --fold: as much follows from a board with a certain number of queens as from
// one that is drawn from kSample, by its columns.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/program.h"
#include "bench/programs/fold.h"
#include "bench/programs/queens.h"
#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

struct Found {
  uint64_t solutions = 0;
  // Boards that were looked at.
  uint64_t nodes = 0;

  Found operator+(const Found& other) const {
    return {solutions + other.solutions, nodes + other.nodes};
  }
};

// --n and --fold: small, since every task has them in its closure.
struct How {
  int16_t n, fold;
};

constexpr uint64_t kSample = 10'000;

const Found& draw(const Board& board) {
  const std::vector<Found>& sample = folded_sample<Found>();
  const uint64_t hash =
      (uint64_t{board.columns} << 32 | board.left) * 0x9e3779b97f4a7c15 ^
      board.right * 0xc2b2ae3d27d4eb4f;
  return sample[(hash >> 32) % sample.size()];
}

// Calls f with each board that has the other queens of so many rows, too.
template <typename F>
void for_each_board(const Board& board, int rows, uint32_t all_columns,
                    const F& f) {
  if (board.rows() == rows) return f(board);
  for_each_next(board, all_columns, [&](const Board& next) {
    for_each_board(next, rows, all_columns, f);
  });
}

// Counts what follows from boards that have queens in all rows but the folded
// ones, evenly chosen from all of these.
std::vector<Found> sample_boards(How how) {
  const int rows = std::max(how.n - how.fold, 0);
  const uint32_t all_columns = (1u << how.n) - 1;
  uint64_t boards = 0, next = 0;
  for_each_board({}, rows, all_columns, [&](const Board&) { ++boards; });
  const uint64_t step = std::max(boards / kSample, uint64_t{1});
  std::vector<Found> sample;
  for_each_board({}, rows, all_columns, [&](const Board& board) {
    if (next++ % step != 0) return;
    Found& found = sample.emplace_back();
    found.solutions = solutions(board, all_columns, &found.nodes);
  });
  return sample;
}

Found place(Board board, How how) {
  if (how.fold > 0 && how.n - board.rows() <= how.fold) {
    const Found& folded = draw(board);
    const auto forks = static_cast<uint64_t>(how.n - 1);
    charge_folded((folded.nodes - folded.solutions) * forks, folded.nodes);
    return folded;
  }
  rma::charge(kNode);
  if (board.rows() == how.n) return {1, 1};
  const Found below = parallel_reduce(
      0, how.n, 1, Found{},
      [=](int64_t column) {
        const uint32_t queen = 1u << column;
        return (board.attacked() & queen) != 0 ? Found{}
                                               : place(board.with(queen), how);
      },
      [](const Found& a, const Found& b) { return a + b; });
  return below + Found{0, 1};
}

}  // namespace

int nqueens_main(CLI::App& app, int argc, char** argv) {
  int n = 11, fold = 0;
  add_n(app, n);
  add_fold(app, fold);
  const Arguments arguments = parse(app, argc, argv);
  check_fold(fold);
  const How how = {static_cast<int16_t>(n), static_cast<int16_t>(fold)};
  if (fold > 0) folded_sample<Found>() = sample_boards(how);
  Found found;
  return run(
      arguments, {{"n", n}, {"fold", fold}},
      [how] { return place(Board{}, how); }, &found,
      [&] {
        return Answer{
            .result = {{"solutions", found.solutions}, {"nodes", found.nodes}},
            // The size of a folded one is drawn.
            .mismatch = fold > 0 ? "" : queens_mismatch(n, found.solutions)};
      });
}

const Program kProgram("nqueens",
                       "Counts the ways to place queens on a chess board",
                       nqueens_main);

}  // namespace magpie::bench
