#include "bench/programs/programs.h"

#include <array>

#include "bench/program.h"

namespace magpie::bench {
namespace {

constexpr std::array kPrograms = {
    Program{
        "fib",
        "Fibonacci numbers by their definition: nothing but spawns and joins",
        fib_main},
    Program{"pfor",
            "Parallel loops of equal iterations, or a recursion over such",
            pfor_main},
    Program{"uts",
            "Unbalanced Tree Search: counts the nodes of an unpredictable tree",
            uts_main},
};

}  // namespace

std::span<const Program> programs() { return kPrograms; }

}  // namespace magpie::bench
