// How a pool runs a task, and what it says when something is wrong. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_WORDS_H_
#define MAGPIE_COMMON_TASK_POOL_WORDS_H_

#include <cstdint>

#include "common/task_pool/runtime.h"

namespace magpie {

// Ends the job with the what() of the exception that is being handled.
[[noreturn]] void an_exception_left_task(const PoolTask& task);

// Runs a task's closure. An exception that leaves it prints an error and ends
// the job.
[[gnu::always_inline]] inline void run_task(const PoolTask& task,
                                            const void* closure) {
  try {
    task.type.invoke(closure, nullptr);
  } catch (...) {
    an_exception_left_task(task);
  }
}

// Prints an error and ends the job where a program adds a task that is larger
// than root.task_bytes().
[[noreturn]] void too_large(const PoolTask& task, const PoolInfo& root);

// Prints an error and ends the job unless there is such a rank to add a task
// at.
void require_rank(int rank);

// Prints an error and ends the job: end_pool was called in a program of
// run_any.
[[noreturn, gnu::cold]] void refuse_end_of_finishes();

// Mark of a thread: its address tells threads apart, at the cost of an
// instruction.
inline thread_local const char thread_mark = 0;

// Prints an error and ends the job: `function` was called by a thread that is
// not the one on which tasks run.
[[noreturn, gnu::cold]] void refuse_thread(const char* function);

// Prints an error and ends the job: a result is asked for in place that others
// may read meanwhile.
[[noreturn, gnu::cold]] void refuse_in_place();

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_WORDS_H_
