// State that a task holds and that cannot move to another rank: C++ keeps for
// each thread of a process which exceptions are being handled, how many pass
// through destructors, and which static variables are being initialized. A task
// that holds any of these stays on its rank until it has let go: runtimes offer
// no continuation of it to thieves, and it waits for others in place.

#ifndef MAGPIE_COMMON_RUN_HELD_H_
#define MAGPIE_COMMON_RUN_HELD_H_

#include <array>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie {

// Whether the calling task must stay on its rank. Cost: no operation; two loads
// more than that of self().
[[gnu::always_inline]] inline bool must_stay() {
  const uint64_t* const held = rma::self().held;
  return (held[0] | held[1]) != 0;
}

// Waits in place until done() holds, as a task that must stay does: its rank
// does nothing else meanwhile. On a single rank, where no other one can make
// done() hold, prints an error and ends the job.
template <typename Done>
void wait_in_place(Done done) {
  if (!done()) rma::flush_all();
  while (!done()) {
    if (rma::size() == 1) {
      rma::fatal(
          "deadlock: a task that handles an exception, or initializes a static "
          "variable, waits for a task that cannot go on before it");
    }
    rma::idle();
  }
}

// While a RunsTasks lives, the calling rank runs tasks. Exceptions that the
// program handled before are not the tasks': they are put aside until the end.
class RunsTasks {
 public:
  RunsTasks();
  ~RunsTasks();
  RunsTasks(const RunsTasks&) = delete;
  RunsTasks& operator=(const RunsTasks&) = delete;

 private:
  const std::array<uint64_t, 2> before_;
  const rma::ActivityScope activity_{*rma::self().status,
                                     rma::Activity::kTasks};
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_HELD_H_
