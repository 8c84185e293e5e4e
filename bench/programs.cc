// One binary per runtime and network, with all programs of fork and join:
//
//   bazel run //bench:cont_greedy -- uts --tree=T1 --ranks=2

#include "bench/programs/programs.h"

#include <array>

#include "bench/driver.h"
#include "common/fork_join/fork_join.h"

namespace magpie::bench {
namespace {

constexpr std::array kPrograms = {
    Program{"btc", "Binary Task Creation: each task creates two, several times",
            btc_main},
    Program{
        "fib",
        "Fibonacci numbers by their definition: nothing but spawns and joins",
        fib_main},
    Program{"lcs",
            "Longest common subsequence, by futures with three consumers",
            lcs_main},
    Program{"meet", "One child and one join, which take set times", meet_main},
    Program{"nqueens", "Ways to place queens on a chess board", nqueens_main},
    Program{"pfor",
            "Parallel loops of equal iterations, or a recursion over such",
            pfor_main},
    Program{"uts",
            "Unbalanced Tree Search: counts the nodes of an unpredictable tree",
            uts_main},
};

int run_nothing(int argc, char** argv) {
  return magpie::run(argc, argv, [] {});
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) {
  using namespace magpie;
  return bench::drive({bench::kPrograms, kRuntime.name, bench::run_nothing},
                      argc, argv);
}
