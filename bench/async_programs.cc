#include "bench/async_programs.h"

#include <array>

#include "bench/programs/async_programs.h"

namespace magpie::bench {
namespace {

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

}  // namespace

std::span<const Program> async_programs() { return kPrograms; }

}  // namespace magpie::bench
