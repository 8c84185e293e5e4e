// What the supervisor does with signals that are meant for the job.

#ifndef MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
#define MAGPIE_COMMON_RMA_SHM_SIGNALS_H_

#include <signal.h>

#include <atomic>
#include <span>

#include "common/rma/rank_status.h"

namespace magpie::rma::shm {

// Makes the calling process pass SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2
// on to the ranks whose processes the first `count` statuses name, for their
// handlers or to end them. A terminal's Ctrl-C is not passed on, since it has
// reached all processes itself; ignored signals stay ignored. So the job ends
// when it is told to, even as the first process of a container. Calls `wake`,
// in a handler, when a child has ended, whatever the program does with that
// signal, and when SIGUSR1 has come for which the program has no handler
// (liveness.h): that is not passed on. Signals are held at first.
void pass_on_signals(std::span<const RankStatus> statuses,
                     const std::atomic<int>* count, void (*wake)());
// Ends that in a rank that was forked: its signals are handled, or wait, as the
// program has said.
void pass_on_no_signals();

// Makes these signals wait: those that come while ranks are started are for all
// of them.
void hold_signals();
// Ends that in the process that passes them on.
void let_signals_come();

// The last of these signals that was passed on or that a terminal has sent; 0:
// none.
int last_signal();

// Whether SIGUSR1 has come since the last call, and is to be answered.
bool is_asked();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_SIGNALS_H_
