// fib: Fibonacci numbers by their definition. There is no work but spawns and
// joins, so the time per spawn is a runtime's overhead. (It is the example of
// fork-join in hpdc15 Figure 1; Binary Task Creation there measures the same.)

#include <cstdint>
#include <utility>

#include "bench/program.h"

namespace magpie::bench {
namespace {

uint64_t fib(uint64_t n) {
  if (n < 2) return n;
  const auto a = spawn([=] { return fib(n - 1); });
  const uint64_t b = fib(n - 2);
  return a.join() + b;
}

uint64_t fib_by_addition(uint64_t n) {
  uint64_t a = 0, b = 1;
  for (; n > 0; --n) a = std::exchange(b, a + b);
  return a;
}

}  // namespace

int fib_main(CLI::App& app, int argc, char** argv) {
  uint64_t n = 34;
  flags::add_integer(
      app, "--n", n,
      "index of the number; each step multiplies time and tasks by 1.6", 0, 90);
  const Arguments arguments = parse(app, argc, argv);
  uint64_t result = 0;
  return run(
      arguments, {{"n", n}}, [n] { return fib(n); }, &result,
      [&] {
        const uint64_t known = fib_by_addition(n);
        return Answer{.result = {{"fib", result}},
                      .mismatch = unless(result == known, "fib(", n, ") is ",
                                         known, ", not ", result)};
      });
}

const Program kProgram(
    "fib",
    "Fibonacci numbers by their definition: nothing but spawns and joins",
    fib_main);

}  // namespace magpie::bench
