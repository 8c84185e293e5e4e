// nqueens_any: counts the ways to place queens on a board, as nqueens_pool.cc
// does, by tasks that may be cancelable; with --limit only until so many ways
// were found (hybrid_glb_apgas18 §5).

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/pool_program.h"
#include "bench/programs/cancelable.h"
#include "bench/programs/queens.h"
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

struct QueensAnywhere : Limited, Queens {
  static constexpr uint32_t kTaskBytes = sizeof(PlaceQueensAnywhere);

  void operator()() const {
    finish_async_any([this] { add_any(PlaceQueensAnywhere{}); });
  }

  // Text that says what is wrong with what was found.
  std::string mismatch(const Found& found) const {
    if (found.cancels == 0) return queens_mismatch(n, found.solutions);
    const uint64_t all = kQueens[static_cast<size_t>(n) - 1];
    return unless(found.solutions >= limit && found.solutions <= all,
                  "cancelled with other than ", limit, " to ", all, " ways");
  }
};

void PlaceQueensAnywhere::operator()() const {
  const QueensAnywhere& root = pool_root<QueensAnywhere>();
  const auto solutions = root.run(board, [&](const Board& next) {
    root.add_any(PlaceQueensAnywhere{next});
  });
  if (solutions) merge_async_any(Found{.solutions = *solutions});
  root.look_at_result<Found>([&](const Found& found) {
    return root.limit > 0 && found.solutions >= root.limit;
  });
}

}  // namespace

int nqueens_any_main(CLI::App& app, int argc, char** argv) {
  QueensAnywhere root = {{}, {.n = 14, .cutoff = 11}};
  root.Queens::add_options(app);
  root.Limited::add_options(
      app,
      "cancel when this number of ways was found (implies "
      "--cancelable); 0: never",
      UINT64_MAX);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const Fields params = root.read_options(root.params());
  Found found;
  return run_in_pool(arguments, params, root, &found, [&] {
    return Answer{.result = {{"solutions", found.solutions},
                             {"cancelled", found.cancels > 0}},
                  .mismatch = root.mismatch(found)};
  });
}

const Program kProgram(
    "nqueens_any",
    "Counts the ways to place queens, all of them or up to a limit",
    nqueens_any_main);

}  // namespace magpie::bench
