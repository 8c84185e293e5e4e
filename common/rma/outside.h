// Errors for calls outside a launch, or by tasks, and for a launch within one.

#ifndef MAGPIE_COMMON_RMA_OUTSIDE_H_
#define MAGPIE_COMMON_RMA_OUTSIDE_H_

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// The object that backend::current names outside a launch. Its memory lies
// where nothing is mapped: code that takes it for a rank's faults there, and
// the crash handler knows the place. So the check costs nothing during a run.
extern Self nobody;

inline bool is_outside_run() { return backend::current == &nobody; }

// Ends the process with status 1 and a line that names `function`.
[[noreturn, gnu::cold]] void refuse_outside_run(const char* function);

// Refuses calls outside a run. For functions that need ranks.
inline void require_run(const char* function) {
  if (is_outside_run()) [[unlikely]]
    refuse_outside_run(function);
}

// Prints an error and ends the job: `function` was called in the midst of
// tasks.
[[noreturn, gnu::cold]] void refuse_in_task(const char* function);

// Refuses calls outside a run, and by tasks. For functions that all ranks call
// together.
inline void require_collective(const char* function) {
  require_run(function);
  if (self().runs_tasks) [[unlikely]]
    refuse_in_task(function);
}

// Prints an error and ends the job where a rank launches.
void refuse_nested_run();

// The exit status of a rank's result: 0 only where the result is 0.
constexpr int as_status(int result) {
  const int status = result & 0xff;
  return status == 0 && result != 0 ? 1 : status;
}

// Prints an error and ends the job where a run after the first is to hand an
// argument, which lies on rank 0, to other ranks, and its size is not given.
void require_bytes(const void* arg, size_t arg_bytes, int ranks);

// For backends that start their ranks themselves: ends the process with status
// 2 when a launcher started several processes, each of which would run the
// whole job. One of them says so.
void refuse_launcher();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_OUTSIDE_H_
