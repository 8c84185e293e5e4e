// What the supervisor does with signals that are meant for the job.

#ifndef MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
#define MAGPIE_COMMON_RMA_SHM_SIGNALS_H_

#include <signal.h>

#include <atomic>
#include <span>

#include "common/rma/rank_state.h"

namespace magpie::rma::shm {

// Makes the calling process pass SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2
// on to the ranks whose processes the first `count` states name, for their
// handlers or to end them. A terminal's signals are not passed on, since it has
// sent them to all processes itself; ignored signals stay ignored. SIGUSR1 is
// answered where the program has no handler for it (asked.h). So the job ends
// when it is told to, even as the first process of a container. Ranks of a
// later run that are not started yet do not get them.
void pass_on_signals(std::span<internal::RankState> states,
                     const std::atomic<int>* count);

// While it lives, these signals wait: those that come while ranks are started
// are for all of them. A rank lets it end, and the supervisor when it passes
// them on.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

// The last of these signals that was passed on or that a terminal has sent; 0:
// none.
int last_signal();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
