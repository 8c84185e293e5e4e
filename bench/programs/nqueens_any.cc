// nqueens_any: counts the ways to place queens on a board, as nqueens_pool.cc
// does, by tasks that may be cancelable; with --limit only until so many ways
// were found (hybrid_glb_apgas18 §5).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/pool_program.h"
#include "bench/programs/async_programs.h"
#include "bench/programs/node_cost.h"
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

struct QueensAnywhere {
  static constexpr uint32_t kTaskBytes = sizeof(PlaceQueensAnywhere);

  int n = 14;
  int cutoff = 11;
  // Number of ways at which it stops; 0: no limit.
  uint64_t limit = 0;
  bool cancelable = false;
  ReducePeriod period = {};

  uint32_t all_columns() const { return (1u << n) - 1; }

  void add(const Board& board) const {
    if (cancelable)
      cancelable_async_any(PlaceQueensAnywhere{board});
    else
      async_any(PlaceQueensAnywhere{board});
  }
  void operator()() const {
    finish_async_any([this] { add(Board{}); });
  }

  // Looks once in a while. It costs the same without a limit, as when the
  // paper's overhead is measured.
  void look_at_result() const {
    if (!cancelable || !period.is_over()) return;
    const uint64_t found = reduce_async_any<Found>().solutions;
    if (limit == 0 || found < limit || cancelled()) return;
    cancel_all_cancelable_async_any();
    merge_async_any(Found{.cancels = 1});
  }

  // What is wrong with what was found, in words.
  std::string mismatch(const Found& found) const {
    if (found.cancels == 0) return queens_mismatch(n, found.solutions);
    const uint64_t all = kQueens[static_cast<size_t>(n) - 1];
    return found.solutions >= limit && found.solutions <= all
               ? ""
               : absl::StrCat("cancelled with other than ", limit, " to ", all,
                              " ways");
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
    for_each_next(board, queens.all_columns(),
                  [&](const Board& next) { queens.add(next); });
  }
  rma::charge(kNode, boards);
  queens.look_at_result();
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
  flags::add_switch(
      app, "--cancelable", queens.cancelable,
      "make tasks cancelable, and look at the result during the run");
  flags::add_integer<uint64_t>(app, "--limit", queens.limit,
                               "cancel when this number of ways was found "
                               "(implies --cancelable); 0: never");
  add_option(app, queens.period);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  queens.cancelable |= queens.limit > 0;
  Found found;
  return run_in_pool(arguments,
                     {{"n", queens.n},
                      {"cutoff", queens.cutoff},
                      {"cancelable", queens.cancelable},
                      {"limit", queens.limit},
                      {"reduce_every_ms", queens.period.milliseconds}},
                     queens, &found, [&] {
                       return Answer{
                           .result = {{"solutions", found.solutions},
                                      {"cancelled", found.cancels > 0}},
                           .mismatch = queens.mismatch(found)};
                     });
}

}  // namespace magpie::bench
