// Answers to SIGUSR1, which asks a running job what its ranks do. For backends
// of real networks.
//
// From before main() on the signal does not end the process. A program's own
// handler of it, or its wish to ignore it, is respected: then nobody answers.

#ifndef MAGPIE_COMMON_RMA_ASKED_H_
#define MAGPIE_COMMON_RMA_ASKED_H_

#include <atomic>
#include <span>

#include "common/rma/rank_state.h"

namespace magpie::rma::internal {

// Whether the signal is answered: the program has no handler of its own.
bool is_answered();

// Makes the calling process's rank answer from now on: it prints its state, or
// writes it where another process has asked (`RankState::asked`).
void answer_signals(RankState& own);
// Ends that: from now on the signal does nothing.
void stop_answering();

// Makes the calling process answer for its children, the ranks of the first
// `count` states: it prints the states of all, at most a second later. A null
// `count` ends that.
void answer_for(std::span<RankState> states, const std::atomic<int>* count);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_ASKED_H_
