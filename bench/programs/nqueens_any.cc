// nqueens_any: counts the ways to place queens on a board, as nqueens_pool.cc
// does, by tasks that may be cancelable; with --limit only until so many ways
// were found (hybrid_glb_apgas18 §5).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/pool_program.h"
#include "bench/programs/cancelable.h"
#include "bench/programs/programs.h"
#include "bench/programs/queens.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {
namespace {

struct Found {
  uint64_t solutions = 0;
  uint64_t cancels = 0;

  void merge(const Found& other) {
    solutions += other.solutions;
    cancels += other.cancels;
  }
};

struct PlaceQueensAnywhere {
  Board board;
  void operator()() const;
};

struct QueensAnywhere : Limited {
  static constexpr uint32_t kTaskBytes = sizeof(PlaceQueensAnywhere);

  int n = 14;
  int cutoff = 11;

  uint32_t all_columns() const { return (1u << n) - 1; }

  void operator()() const {
    finish_async_any([this] { add_any(PlaceQueensAnywhere{}); });
  }

  // What is wrong with what was found, in words.
  std::string mismatch(const Found& found) const {
    if (found.cancels == 0) return queens_mismatch(n, found.solutions);
    const uint64_t all = kQueens[static_cast<size_t>(n) - 1];
    return unless(found.solutions >= limit && found.solutions <= all,
                  "cancelled with other than ", limit, " to ", all, " ways");
  }
};

void PlaceQueensAnywhere::operator()() const {
  const QueensAnywhere& queens = pool_root<QueensAnywhere>();
  uint64_t boards = 0;
  if (queens.n - board.rows() <= queens.cutoff) {
    merge_async_any(
        Found{.solutions = solutions(board, queens.all_columns(), &boards)});
  } else {
    ++boards;
    for_each_next(board, queens.all_columns(), [&](const Board& next) {
      queens.add_any(PlaceQueensAnywhere{next});
    });
  }
  rma::charge(kNode, boards);
  queens.look_at_result<Found>([&](const Found& found) {
    return queens.limit > 0 && found.solutions >= queens.limit;
  });
}

}  // namespace

int nqueens_any_main(int argc, char** argv) {
  constexpr int kMost = static_cast<int>(kQueens.size());
  flags::App app("Counts the ways to place queens on a chess board.",
                 "nqueens_any");
  QueensAnywhere queens;
  flags::add_integer<int>(
      app, "--n", queens.n,
      "number of rows and queens; each more takes some 6 times as long", 1,
      kMost);
  flags::add_integer<int>(
      app, "--cutoff", queens.cutoff,
      "a board with this number of rows left, or fewer, is one task", 0, kMost);
  queens.add_options(app,
                     "cancel when this number of ways was found (implies "
                     "--cancelable); 0: never",
                     UINT64_MAX);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const Fields params =
      queens.read_options({{"n", queens.n}, {"cutoff", queens.cutoff}});
  Found found;
  return run_in_pool(arguments, params, queens, &found, [&] {
    return Answer{.result = {{"solutions", found.solutions},
                             {"cancelled", found.cancels > 0}},
                  .mismatch = queens.mismatch(found)};
  });
}

}  // namespace magpie::bench
