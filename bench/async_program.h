// How a benchmark program of task pools is written that needs the constructs of
// async_any.h: as pool_program.h shows, with a root that begins finishes, with
// run_async for run_in_pool, and a line in async_programs.cc.

#ifndef MAGPIE_BENCH_ASYNC_PROGRAM_H_
#define MAGPIE_BENCH_ASYNC_PROGRAM_H_

#include "bench/any_program.h"
#include "bench/pool_program.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {

// Runs root(), stores what the tasks of its last finish have merged to *result,
// and goes on as run_in_pool does.
template <typename F, typename T, typename MakeAnswer>
int run_async(const Arguments& arguments, const Json& params, F root, T* result,
              MakeAnswer answer) {
  return run_and_print(
      arguments, params, kPool.name,
      [&](RunReport* report) {
        return run_any(arguments.rest, root, result, report);
      },
      [&](const RunReport& report) { return with_rate(answer(), report); });
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_ASYNC_PROGRAM_H_
