// Finds out, for another thread of a rank's process, whether the rank has lived
// since the last look (watch.h says what that means).
//
// Thread safety: constructed by the rank's thread, then used by its watch's.

#ifndef MAGPIE_COMMON_RMA_LIFE_SIGNS_H_
#define MAGPIE_COMMON_RMA_LIFE_SIGNS_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>

#include "common/rma/pulse.h"
#include "common/rma/rank_state.h"
#include "common/rma/rma.h"

namespace magpie::rma::internal {

class LifeSigns {
 public:
  // REQUIRES: `rank` is the calling thread's, and outlives this.
  explicit LifeSigns(Self& rank);

  // Looks at `time`, `passed` nanoseconds after the last look, and writes what
  // it finds to `state`.
  void look(RankState& state, uint64_t passed, uint64_t time);

 private:
  // Counts that only grow.
  struct Counts {
    TaskTally tally;
    uint64_t collectives, polls;
    // Core time in nanoseconds: of the rank's thread, and of all others but the
    // watch's.
    uint64_t computed, others_computed;
  };
  Counts count() const;
  // What the rank does in code of its own.
  Doing own_code(const Counts& is, uint64_t passed) const;

  Self& rank_;
  const pid_t thread_;
  clockid_t clock_;
  Counts last_ = {};
};

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_LIFE_SIGNS_H_
