// The cost of one steal: two ranks take the same continuation from each other,
// at every spawn (--forced_steal), and the thieves' own times are averaged. And
// the time from a spawn to the first instruction of a thief that was idle.
// Google Benchmark only reports what the run told: its loop could not migrate.

#include <alloca.h>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// A thread with a frame of at least `frame_bytes`, stolen `steals` times, each
// time by a rank that has been idle for `idle_ns`. Returns the mean time from a
// spawn to what follows it, in nanoseconds. A spawn of more than 1 ms does not
// count: a rank lost its core. REQUIRES: the ranks are on one node.
struct Wanderer {
  uint64_t steals;
  uint64_t frame_bytes;
  uint64_t idle_ns;

  double operator()() const {
    void* frame = alloca(frame_bytes);
    std::memset(frame, 1, frame_bytes);
    double sum = 0, counted = 0;
    for (uint64_t i = 0; i < steals; ++i) {
      rma::compute(idle_ns);
      const uint64_t spawned_at = rma::now();
      const Future<void> child = spawn([] {});
      const uint64_t ns = rma::now() - spawned_at;
      child.join();
      if (ns > 1'000'000) continue;
      sum += static_cast<double>(ns);
      ++counted;
    }
    benchmark::DoNotOptimize(frame);
    return counted > 0 ? sum / counted : 0;
  }
};

// A mean per steal, as this one benchmark's result.
void report_steals(benchmark::State& state, const RunReport& run,
                   double spawn_to_thief_ns) {
  const SchedulerStats& stats = run.stats;
  const double steals = static_cast<double>(stats.steals_ok);
  for (auto _ : state)
    state.SetIterationTime(static_cast<double>(stats.steal_ns) * 1e-9 / steals);
  state.counters["bytes"] = static_cast<double>(stats.stolen_bytes) / steals;
  state.counters["copy_ns"] = static_cast<double>(stats.task_copy_ns) / steals;
  state.counters["spawn_to_thief_ns"] = spawn_to_thief_ns;
  state.counters["steals"] = steals;
  state.counters["failed_steals"] = static_cast<double>(stats.steals_failed);
}

int steal_and_report(const std::vector<std::string>& arguments,
                     const Wanderer& wanderer) {
  RunReport run;
  double spawn_to_thief_ns = 0;
  const int status =
      run_with_result(arguments, wanderer, &spawn_to_thief_ns, &run);
  if (status != 0) return status;
  if (run.stats.steals_ok == 0) {
    flags::die(absl::StrCat(
        "--ranks=", run.ranks,
        ": nothing was stolen; this needs two ranks (--ranks=2, mpirun -n 2)"));
  }
  benchmark::AddCustomContext("runtime", run.runtime);
  benchmark::AddCustomContext("network", run.backend);
  benchmark::RegisterBenchmark(
      absl::StrCat("steal/frame_bytes:", wanderer.frame_bytes).c_str(),
      [&](benchmark::State& state) {
        report_steals(state, run, spawn_to_thief_ns);
      })
      ->Iterations(1)
      ->UseManualTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) {
  using namespace magpie;
  benchmark::Initialize(&argc, argv);
  flags::App app("Times steals: one thread goes to and fro between two ranks.");
  bench::Wanderer wanderer = {
      .steals = 10000, .frame_bytes = 512, .idle_ns = 0};
  flags::add_integer(app, "--steals", wanderer.steals, "number of steals", 1,
                     1'000'000'000);
  flags::add_bytes(app, "--frame_bytes", wanderer.frame_bytes,
                   "least size of the stolen frames", 16, 1 << 20);
  flags::add_integer(
      app, "--idle_ns", wanderer.idle_ns,
      "nanoseconds of work before each spawn, in which a thief is idle", 0,
      1'000'000'000);
  std::vector<std::string> arguments =
      flags::parse_known_or_exit(app, argc, argv, seam::flags_help());
  arguments.push_back("--forced_steal");
  return bench::steal_and_report(arguments, wanderer);
}
