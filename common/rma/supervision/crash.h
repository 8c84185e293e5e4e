// Last words: what a process prints that crashes or exits in the midst of a
// run, and what else must not be lost when a rank ends badly.
//
// Some of it holds without being called, in every program that links a backend:
// one whose standard output could not be written ends with status 1 in the
// place of 0, and a call that needs a run, outside of one, with words.

#ifndef MAGPIE_COMMON_RMA_SUPERVISION_CRASH_H_
#define MAGPIE_COMMON_RMA_SUPERVISION_CRASH_H_

#include <atomic>
#include <cstddef>
#include <string_view>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Makes the calling process a rank, or the host of all ranks.
//   1. A signal of a crash prints one line, "magpie: rank R: ...", and kills
//      the process. Where it is known what was exhausted, the line says so:
//      below the region layout.region_overflow, in self().task_stacks its own
//      words, next to the stack pointer the process's stack. A signal for which
//      the program has a handler stays the program's.
//   2. An exit is fatal(): by exit or quick_exit, or by _exit or _Exit with
//      status 0, which becomes 1. A child that the program makes is another
//      process, and may exit.
//   3. Standard output is written line by line from now on: what a task has
//      printed must not be lost when the job ends at another rank's mistake.
// `spoken` is shared by the ranks, one of which says why the job ends; null
// where there is but this process.
// REQUIRES: backend::current is set, and its region is mapped with an
// inaccessible page directly below it.
void enter_run(const SegmentLayout& layout, std::atomic<bool>* spoken);

// Ends that, and backend::current is nobody again.
void leave_run();

// Makes a fault in [begin, begin + bytes) print `what` instead, until the run
// is over. At most 4 ranges, of which the first counts that holds an address.
// `what` must live on.
void explain_faults(const void* begin, size_t bytes, const char* what);

// Returns what words begin with: on a terminal, what erases the line from the
// cursor on, and so a ProgressLine. For signal handlers too.
const char* beginning_of_words();

// Prints "magpie: rank R: message", unless another rank has said already why
// the job ends: then it leaves that one a second to end it.
void speak_last(std::string_view message);

// Calls `handler` for SIGUSR1 from now on, if the signal was left at its
// default. Interrupted system calls are resumed, except sleeps, which return
// early.
void take_signal(void (*handler)(int signal));

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SUPERVISION_CRASH_H_
