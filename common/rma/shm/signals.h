// What the supervisor does with signals that are meant for the job.

#ifndef MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
#define MAGPIE_COMMON_RMA_SHM_SIGNALS_H_

#include <atomic>
#include <span>

#include "common/rma/rank_state.h"

namespace magpie::rma::shm {

// From now on the calling process passes SIGTERM, SIGINT, SIGHUP, SIGUSR1 and
// SIGUSR2 on to the ranks whose processes the first `count` states name: to
// their handlers, or to their ends. A terminal has sent it to all processes
// itself, and what is ignored stays so. SIGUSR1 without a handler of the
// program's is answered (asked.h). So the job ends when it is told to, also as
// the first process of a container.
void pass_on_signals(std::span<internal::RankState> states,
                     const std::atomic<int>* count);

// The last signal of these that was passed on, or that a terminal has sent; 0:
// none.
int last_signal();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
