// A binary with all programs of pools, also those that use the constructs of
// async_any.h:
//
//   bazel run //bench:pool_serial -- pi --n=1000 --cancel_above=3

#include <array>

#include "bench/pool_programs.h"
#include "bench/programs/programs.h"

int main(int argc, char** argv) {
  using namespace magpie::bench;
  constexpr std::array kPrograms = {
      Program{"cancel_any", "Measures how soon a cancel takes effect",
              cancel_any_main},
      Program{"hello_any", "Counts the tasks that run at each place",
              hello_any_main},
      Program{"nqueens_any",
              "Counts the ways to place queens, all of them or up to a limit",
              nqueens_any_main},
      Program{"pi", "Pi as a sum, as a whole or up to a threshold", pi_main},
      Program{"tsp_any",
              "Finds the shortest tour through cities, or one up to a limit",
              tsp_any_main},
  };
  return drive_pool(kPrograms, argc, argv);
}
