// The entry points of the programs that use the constructs of async_any.h,
// each in the file of its name. See pool_program.h.

#ifndef MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_
#define MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_

#include "common/flags/flags.h"
#include "common/task_pool/reduce_period.h"

namespace magpie::bench {

inline void add_option(CLI::App& app, ReducePeriod& period) {
  flags::add_integer<int64_t>(
      app, "--reduce_every", period.milliseconds,
      "milliseconds between two looks of rank 0's tasks at the result, in runs "
      "that may cancel; 0: each task looks",
      0, 3'600'000);
}

int cancel_any_main(int argc, char** argv);
int hello_any_main(int argc, char** argv);
int nqueens_any_main(int argc, char** argv);
int pi_main(int argc, char** argv);
int tsp_any_main(int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_
