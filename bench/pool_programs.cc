#include "bench/pool_programs.h"

#include <array>
#include <vector>

#include "bench/programs/programs.h"
#include "common/task_pool/task_pool.h"

namespace magpie::bench {
namespace {

constexpr std::array kPrograms = {
    Program{"bc", "Betweenness centrality of a random graph, by Brandes",
            bc_main},
    Program{"bpc",
            "Bouncing producer-consumer: each producer adds the next and many "
            "consumers",
            bpc_main},
    Program{"nqueens", "Counts the ways to place queens on a chess board",
            nqueens_main},
    Program{"tsp",
            "Finds the shortest tour through cities, by branch and bound",
            tsp_main},
    Program{"uts",
            "Unbalanced Tree Search: counts the nodes of an unpredictable tree",
            uts_pool_main},
    Program{"uts_any", "Unbalanced Tree Search with tasks of many nodes",
            uts_any_main},
};

int run_nothing(int argc, char** argv) {
  return run_pool(argc, argv, [] {});
}

}  // namespace

int drive_pool(std::span<const Program> more, int argc, char** argv) {
  std::vector<Program> programs(kPrograms.begin(), kPrograms.end());
  programs.insert(programs.end(), more.begin(), more.end());
  return drive({programs, kPool.name, run_nothing}, argc, argv);
}

}  // namespace magpie::bench
