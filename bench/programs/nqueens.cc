// nqueens: in how many ways can n queens stand on a board of n by n so that
// none attacks another? A thread for each board, and a loop over the columns of
// its next row by divide and conquer, down to single columns (hpdc15 §6.1).

#include <cstdint>

#include "bench/program.h"
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

Found place(Board board, int n) {
  rma::charge(kNode);
  if (board.rows() == n) return {1, 1};
  const Found below = parallel_reduce(
      0, n, 1, Found{},
      [=](int64_t column) {
        const uint32_t queen = 1u << column;
        return (board.attacked() & queen) != 0 ? Found{}
                                               : place(board.with(queen), n);
      },
      [](const Found& a, const Found& b) { return a + b; });
  return below + Found{0, 1};
}

}  // namespace

int nqueens_main(CLI::App& app, int argc, char** argv) {
  int n = 11;
  add_n(app, n);
  const Arguments arguments = parse(app, argc, argv);
  Found found;
  return run(
      arguments, {{"n", n}}, [n] { return place(Board{}, n); }, &found,
      [&] {
        return Answer{
            .result = {{"solutions", found.solutions}, {"nodes", found.nodes}},
            .mismatch = queens_mismatch(n, found.solutions)};
      });
}

const Program kProgram("nqueens",
                       "Counts the ways to place queens on a chess board",
                       nqueens_main);

}  // namespace magpie::bench
