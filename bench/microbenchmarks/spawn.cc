// The cost of spawn and join where nobody steals: start it with one rank. The
// benchmarks run in the root task; Google Benchmark keeps heap memory and does
// not migrate, so there must be no thief.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// A task that does nothing, with a closure and a result of kBytes each.
template <size_t kBytes>
void spawn_and_join(benchmark::State& state) {
  std::array<std::byte, kBytes> bytes = {};
  for (auto _ : state)
    benchmark::DoNotOptimize(spawn([bytes] { return bytes; }).join());
}
BENCHMARK(spawn_and_join<1>);
BENCHMARK(spawn_and_join<8>);
BENCHMARK(spawn_and_join<48>);
BENCHMARK(spawn_and_join<4096>);

void spawn_and_discard(benchmark::State& state) {
  for (auto _ : state) spawn([] { return uint64_t{1}; }).discard();
}
BENCHMARK(spawn_and_discard);

int run_benchmarks() {
  if (rma::size() != 1) {
    std::fprintf(
        stderr, "magpie: --ranks=%d: must be 1 here (--ranks=1, mpirun -n 1)\n",
        rma::size());
    return 2;
  }
  benchmark::AddCustomContext("runtime", kRuntime.name);
  benchmark::AddCustomContext("network", rma::kBackend.name);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  return magpie::run(argc, argv, &magpie::bench::run_benchmarks);
}
