// How a benchmark program of a task pool is written: one file in programs/,
// against common/task_pool alone.
//
//   struct Countdown {
//     int64_t n;
//     void operator()() const {
//       magpie::merge(int64_t{1});
//       if (n > 1) magpie::add(Countdown{n - 1});
//     }
//   };
//   int countdown_main(int argc, char** argv) {
//     flags::App app("Counts tasks, each of which adds one.", "countdown");
//     int64_t n = 3;
//     flags::add_integer<int64_t>(app, "--n", n, "how many", 1, 1000);
//     const auto arguments = bench::parse_for_pool(app, argc, argv);
//     int64_t tasks = 0;
//     return bench::run_in_pool(
//         arguments, {{"n", n}}, [n] { add(Countdown{n}); }, &tasks, [&] {
//           return bench::Answer{.result = {{"tasks", tasks}},
//                                .mismatch = tasks == n ? "" : "too few"};
//         });
//   }
//
// and a line in pool_programs.cc.

#ifndef MAGPIE_BENCH_POOL_PROGRAM_H_
#define MAGPIE_BENCH_POOL_PROGRAM_H_

#include "bench/any_program.h"
#include "common/task_pool/task_pool.h"

namespace magpie::bench {

// Does what parse() of program.h does, with a pool's flags.
inline Arguments parse_for_pool(CLI::App& app, int argc, char** argv) {
  return parse(app, argc, argv, pool_seam::flags_help());
}

// Returns the answer with tasks per second among its metrics (icpp21 Fig. 8a).
inline Answer with_rate(Answer answer, const RunReport& report) {
  answer.metrics.emplace_back(
      "tasks_per_s", static_cast<double>(report.stats.spawns) / report.seconds);
  return answer;
}

// Runs root() and all its descendants, stores what they have merged to *result,
// prints answer() with that rate, and returns the exit status on rank 0.
template <typename F, typename T, typename MakeAnswer>
int run_in_pool(const Arguments& arguments, const Fields& params, F root,
                T* result, MakeAnswer answer) {
  return run_and_print(
      arguments, params, kPool.name,
      [&](RunReport* report) {
        return run_pool(arguments.rest, root, result, report);
      },
      [&](const RunReport& report) { return with_rate(answer(), report); });
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_POOL_PROGRAM_H_
