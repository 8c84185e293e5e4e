// How a task is called, and what becomes of an exception. For runtimes.

#ifndef MAGPIE_COMMON_RUN_INVOKE_H_
#define MAGPIE_COMMON_RUN_INVOKE_H_

#include "common/run/type_info.h"

namespace magpie {

// Ends the job with the what() of the exception that is being handled, which
// has left `what`: "a task".
[[noreturn]] void an_exception_left(const char* what);

// Runs the closure. An exception that leaves it prints an error and ends the
// job: it has nowhere to go, since the frames above may be those of another
// thread by now.
[[gnu::always_inline]] inline void invoke(const TypeInfo& type,
                                          const void* closure, void* result) {
  try {
    type.invoke(closure, result);
  } catch (...) {
    an_exception_left("a task");
  }
}

namespace internal {

// Prints an error and ends the process, with status 1: `function`, which starts
// a run, was given a null pointer for the result.
[[noreturn, gnu::cold]] void no_place_for_the_result(const char* function);

}  // namespace internal
}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_INVOKE_H_
