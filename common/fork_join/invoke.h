// Running a task's function, for runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_INVOKE_H_
#define MAGPIE_COMMON_FORK_JOIN_INVOKE_H_

#include <exception>

#include "absl/strings/str_cat.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"

namespace magpie {

// Runs the closure. An exception that leaves it ends the job in words: it has
// nowhere to go, since the frames above may be those of another thread by now.
[[gnu::always_inline]] inline void invoke(const TypeInfo& type,
                                          const void* closure, void* result) {
  try {
    type.invoke(closure, result);
  } catch (const std::exception& e) {
    rma::fatal(absl::StrCat("an exception left a task: ", e.what()));
  } catch (...) {
    rma::fatal("an exception left a task; it is no std::exception");
  }
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_INVOKE_H_
