// Frame of a benchmark program of a task pool, which is one file in programs/,
// such as uts_pool.cc, against common/task_pool alone.

#ifndef MAGPIE_BENCH_POOL_PROGRAM_H_
#define MAGPIE_BENCH_POOL_PROGRAM_H_

#include "bench/any_program.h"
#include "common/task_pool/task_pool.h"

namespace magpie::bench {

// Does what parse() of program.h does, with a pool's flags.
inline Arguments parse_for_pool(CLI::App& app, int argc, char** argv) {
  return parse(app, argc, argv, pool_seam::flags_help());
}

// Runs root() and all its descendants, stores what they have merged to *result,
// prints answer() with tasks per second among its metrics (icpp21 Fig. 8a), and
// returns the exit status on rank 0.
template <typename F, typename T, typename MakeAnswer>
int run_in_pool(const Arguments& arguments, const Fields& params, F root,
                T* result, MakeAnswer answer) {
  RunReport report;
  const int status = run_pool(arguments.rest, root, result, &report);
  if (status != 0) return status;
  Answer with_rate = answer();
  with_rate.metrics.emplace_back(
      "tasks_per_s", static_cast<double>(report.stats.spawns) / report.seconds);
  return print(arguments, params, with_rate, report);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_POOL_PROGRAM_H_
