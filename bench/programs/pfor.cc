// pfor: parallel loops of equal iterations, one after the other: PFor and, with
// --recursive, RecPFor of cluster22 §IV-C (Figure 5). Each iteration is a leaf
// of a loop's recursion, and does nothing but take its time. The work is
//
//   PFor:     K M N
//   RecPFor:  K M N log2(N) + M N
//
// with K = --loops, M = --iteration_ns, N = --n, and all beyond it overhead.

#include <bit>
#include <cstdint>
#include <functional>

#include "absl/strings/str_cat.h"
#include "bench/program.h"
#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

struct Loops {
  int64_t k;
  // It has 32 bits so that a loop's closure has 40 bytes, which child stealing
  // holds in a task's descriptor (cluster22 Table II: 56 bytes in all).
  uint32_t iteration_ns;
};

// All functions that follow return the number of iterations that they ran.

int64_t iterate(uint32_t nanoseconds) {
  rma::compute(nanoseconds);
  return 1;
}

int64_t pfor(int64_t n, Loops loops) {
  int64_t done = 0;
  for (int64_t k = 0; k < loops.k; ++k) {
    done += parallel_reduce(
        0, n, 1, int64_t{0},
        [ns = loops.iteration_ns](int64_t) { return iterate(ns); },
        std::plus<int64_t>());
  }
  return done;
}

// REQUIRES: n is a power of two.
int64_t recursive_pfor(int64_t n, Loops loops) {
  if (n == 1) return iterate(loops.iteration_ns);
  const int64_t done = pfor(n, loops);
  const auto half = spawn([=] { return recursive_pfor(n / 2, loops); });
  const int64_t other = recursive_pfor(n / 2, loops);
  return done + other + half.join();
}

int64_t iterations(int64_t n, int64_t k, bool recursive) {
  const int log2 = std::bit_width(static_cast<uint64_t>(n)) - 1;
  return recursive ? k * n * log2 + n : k * n;
}

}  // namespace

int pfor_main(CLI::App& app, int argc, char** argv) {
  int64_t n = 1 << 14;
  Loops loops = {.k = 5, .iteration_ns = 10'000};
  bool recursive = false;
  flags::add_integer(app, "--n", n, "iterations of a loop", 1,
                     int64_t{1} << 32);
  flags::add_integer(app, "--loops", loops.k, "loops, one after the other", 1,
                     1'000'000);
  flags::add_integer(app, "--iteration_ns", loops.iteration_ns,
                     "nanoseconds that an iteration takes", 0, 1'000'000'000);
  flags::add_switch(app, "--recursive", recursive,
                    "run the loops over n, then the same for both halves of n "
                    "in parallel; n must be a power of two");
  const Arguments arguments = parse(app, argc, argv);
  if (recursive && !std::has_single_bit(static_cast<uint64_t>(n)))
    flags::die(
        absl::StrCat("--n: ", n, " with --recursive; allowed: powers of two"));
  const Fields params = {{"n", n},
                         {"loops", loops.k},
                         {"iteration_ns", loops.iteration_ns},
                         {"recursive", recursive}};
  int64_t done = 0;
  return run(
      arguments, params,
      [=] { return recursive ? recursive_pfor(n, loops) : pfor(n, loops); },
      &done,
      [&] {
        const int64_t known = iterations(n, loops.k, recursive);
        return Answer{.result = {{"iterations", done}},
                      .mismatch = unless(done == known, "there are ", known,
                                         " iterations")};
      });
}

const Program kProgram(
    "pfor", "Parallel loops (PFor), or a recursion over such (RecPFor)",
    pfor_main);

}  // namespace magpie::bench
