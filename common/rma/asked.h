// SIGUSR1 asks a running job what its ranks do. For backends
// of real networks.
//
// A program's own handler of that signal, or its wish to ignore it, is
// respected: then nobody answers.

#ifndef MAGPIE_COMMON_RMA_ASKED_H_
#define MAGPIE_COMMON_RMA_ASKED_H_

#include <atomic>
#include <span>

#include "common/rma/rank_state.h"

namespace magpie::rma::internal {

// The calling process's rank answers from now on: it prints its state, or
// writes it where another process has asked (`asked`).
void answer_signals(RankState& own);
// No more: the signal does nothing then.
void stop_answering();

// The calling process is asked for the ranks of the first `count` states, which
// are its children: prints the states of all, at most a second later. Null: it
// is not any more.
void answer_for(std::span<RankState> states, const std::atomic<int>* count);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_ASKED_H_
