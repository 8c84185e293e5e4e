// Counts the ways in which N queens can stand on a board: a program with flags
// of its own and a result.

#include <cstdint>
#include <cstdio>
#include <functional>

#include "common/flags/flags.h"
#include "common/fork_join/parallel.h"

// Squares of the next row that queens of the rows above attack, a bit a column.
struct Attacked {
  uint32_t straight, left, right;
};

int64_t ways(int n, int row, Attacked attacked) {
  if (row == n) return 1;
  auto with_queen_in = [=](int64_t column) -> int64_t {
    const auto [straight, left, right] = attacked;
    const uint32_t queen = 1u << column;
    if (((straight | left | right) & queen) != 0) return 0;
    return ways(n, row + 1,
                {straight | queen, (left | queen) << 1, (right | queen) >> 1});
  };
  // The first rows are loops of tasks, the others plain loops.
  return magpie::parallel_reduce(0, n, row < 3 ? 1 : n, int64_t{0},
                                 with_queen_in, std::plus<int64_t>());
}

int main(int argc, char** argv) {
  magpie::flags::App app("Counts the ways to place N queens.");
  int n = 8;
  magpie::flags::add_integer(app, "--n", n, "number of columns and rows", 1,
                             16);
  // Arguments left over are the runtime's flags and the network's. --help
  // prints them after these.
  const auto arguments = magpie::flags::parse_known_or_exit(
      app, argc, argv, magpie::seam::flags_help());

  int64_t result = 0;
  magpie::RunReport report;
  const int status = magpie::run_with_result(
      arguments, [n] { return ways(n, 0, {}); }, &result, &report);
  // Here is rank 0 alone.
  if (status != 0) return status;
  std::printf("%d queens, %d ranks: %ld ways\n", n, report.ranks, result);
  return 0;
}
