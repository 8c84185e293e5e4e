// nqueens: in how many ways can n queens stand on a board of n by n so that
// none attacks another?

#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/queens.h"

namespace magpie::bench {
namespace {

struct PlaceQueens {
  Board board;
  void operator()() const;
};

struct Root : Queens {
  static constexpr uint32_t kTaskBytes = sizeof(PlaceQueens);

  void operator()() const { add(PlaceQueens{}); }
};

void PlaceQueens::operator()() const {
  const auto found = pool_root<Root>().run(
      board, [](const Board& next) { add(PlaceQueens{next}); });
  if (found) merge(*found);
}

}  // namespace

int nqueens_main(CLI::App& app, int argc, char** argv) {
  Root root = {{.n = 12, .cutoff = 7}};
  root.add_options(app);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  uint64_t solutions = 0;
  return run_in_pool(arguments, root.params(), root, &solutions, [&] {
    return Answer{.result = {{"solutions", solutions}},
                  .mismatch = queens_mismatch(root.n, solutions)};
  });
}

const Program kProgram("nqueens",
                       "Counts the ways to place queens on a chess board",
                       nqueens_main);

}  // namespace magpie::bench
