// Errors for calls outside a launch, or by tasks, and for launches that cannot
// be, each of which ends the job; and what all backends compute alike.

#ifndef MAGPIE_COMMON_RMA_OUTSIDE_H_
#define MAGPIE_COMMON_RMA_OUTSIDE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// The object that backend::current names outside a launch. Its memory lies
// where nothing is mapped: code that takes it for a rank's faults there, and
// the crash handler knows the place. So the check costs nothing during a run.
extern Self nobody;

inline bool is_outside_run() { return backend::current == &nobody; }

// Refuses calls outside a run. For functions that need ranks.
void require_run(const char* function);

// Refuses calls outside a run, and by tasks. For functions that all ranks call
// together.
void require_collective(const char* function);

// Refuses a launch by a rank.
void refuse_nested_run();

// For backends that start their ranks themselves: ends the process with status
// 2 when a launcher started several processes, each of which would run the
// whole job. One of them says so.
void refuse_launcher();

// Refuses a run after the first that is to hand an argument, which lies on rank
// 0, to other ranks, where its size is not given.
void require_bytes(const void* arg, size_t arg_bytes, int ranks);

// What two ranks' values make in a reduction.
constexpr uint64_t combined(uint64_t a, uint64_t b, Reduction reduction) {
  if (reduction == Reduction::kSum) return a + b;
  return (a < b) == (reduction == Reduction::kMin) ? a : b;
}

// The exit status of a rank's result: 0 only where the result is 0.
constexpr int as_status(int result) {
  const int status = result & 0xff;
  return status == 0 && result != 0 ? 1 : status;
}

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_OUTSIDE_H_
