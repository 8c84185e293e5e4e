// Words for a process that dies by a signal, and what else must not be lost
// when a rank ends badly.
//
// Outside a run, from the program's start on, a memory fault has words where
// something was called that needs ranks. Other crashes are then the program's
// own affair, and go to the handler that it had.

#ifndef MAGPIE_COMMON_RMA_CRASH_H_
#define MAGPIE_COMMON_RMA_CRASH_H_

#include <atomic>
#include <cstddef>
#include <string_view>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// The calling process becomes a rank, or the host of all.
//   1. A signal of a crash prints one line, "magpie: rank R: ...", which says
//      what was hit where it is known, and kills the process. Running into the
//      page below the region, or a little further below, prints
//      layout.region_overflow; a fault in self().task_stacks its own words; one
//      next to the stack pointer that the process's stack is exhausted.
//   2. Standard output is written line by line: what a task has printed must
//      not be lost when the job ends at another rank's mistake.
// `spoken` is shared by the ranks, one of which says why the job ends; null
// where there is but this process.
// REQUIRES: backend::current is set, and its region is mapped with an
// inaccessible page directly below it.
void enter_run(const SegmentLayout& layout, std::atomic<bool>* spoken);

// It is over: backend::current is nobody again, standard output and the other
// handlers are as before.
void leave_run();

// A fault in [begin, begin + bytes) prints `what` instead, until the run is
// over. At most 4 ranges. `what` must live on.
void explain_faults(const void* begin, size_t bytes, const char* what);

// All segments, `bytes` each, lie side by side from kPeersAddress on, until the
// run is over: a fault near them is an operation on a rank or at an offset that
// is not there, and its words name both.
void explain_peers(size_t bytes);

// To the beginning of a terminal's line, of which the rest is erased.
inline constexpr char kEraseLine[] = "\r\x1b[K";

// Words of a crash and last words come after this on standard error: what takes
// away a line that is there for a while. Empty again at leave_run. `text` must
// live on.
void begin_words_with(const char* text);
// That goes for all processes of the job, which share `is_shown`: whether one
// of them shows such a line. Null: they do not any more.
void share_line(std::atomic<bool>* is_shown);
// What words begin with: nothing, or what erases a line. For signal handlers
// too.
const char* beginning_of_words();

// Prints "magpie: rank R: message", unless another rank has said already why
// the job ends: then it leaves that one a second to end it.
void speak_last(std::string_view message);

// Calls `handler` for SIGUSR1 from now on, where the signal was left at its
// default. System calls go on after it, but for sleeps, which return early.
void take_signal(void (*handler)(int signal));

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_CRASH_H_
