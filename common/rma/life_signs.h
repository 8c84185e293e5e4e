// Whether a rank has lived since the last look (watch.h says what that means),
// as another thread of its process finds out.
//
// Thread safety: made by the rank's thread, then its watch's.

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
  // Of the calling thread's rank, which lives on.
  explicit LifeSigns(Self& rank);

  // At `time`, `passed` nanoseconds after the last look: writes what it finds.
  void look(RankState& state, uint64_t passed, uint64_t time);

 private:
  // What only grows.
  struct Counts {
    TaskTally tally;
    uint64_t collectives, polls;
    // Nanoseconds of a core: the rank's thread, and other threads than this
    // one.
    uint64_t computed, others_computed;
  };
  Counts count() const;
  // What its own code does.
  Doing own_code(const Counts& is, uint64_t passed) const;

  Self& rank_;
  const pid_t thread_;
  clockid_t clock_;
  Counts last_ = {};
};

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_LIFE_SIGNS_H_
