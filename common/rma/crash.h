// Words for a process that dies by a signal, and what else must not be lost
// when a rank ends badly.
//
// Outside a run, from the program's start on, a memory fault is explained only
// where something was called that needs ranks. Other crashes are then the
// program's own affair, and go to its own handler.

#ifndef MAGPIE_COMMON_RMA_CRASH_H_
#define MAGPIE_COMMON_RMA_CRASH_H_

#include <atomic>
#include <cstddef>
#include <string_view>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Makes the calling process a rank, or the host of all ranks.
//   1. A signal of a crash prints one line, "magpie: rank R: ...", which says
//      what was hit where it is known, and kills the process. Running into the
//      page below the region, or a little further below, prints
//      layout.region_overflow; a fault in self().task_stacks its own words; one
//      next to the stack pointer that the process's stack is exhausted. Where
//      none of that explains it and the program has set a handler before,
//      that one is called instead.
//   2. Standard output is written line by line: what a task has printed must
//      not be lost when the job ends at another rank's mistake.
// `spoken` is shared by the ranks, one of which says why the job ends; null
// where there is but this process.
// REQUIRES: backend::current is set, and its region is mapped with an
// inaccessible page directly below it.
void enter_run(const SegmentLayout& layout, std::atomic<bool>* spoken);

// Ends that: backend::current is nobody again, standard output and the
// handlers are as before.
void leave_run();

// Makes a fault in [begin, begin + bytes) print `what` instead, until the run
// is over. At most 4 ranges. `what` must live on.
void explain_faults(const void* begin, size_t bytes, const char* what);

// Says that all segments, `bytes` each, lie side by side from kPeersAddress on
// until the run is over: a fault near them is then an operation on a rank or at
// an offset that does not exist, and its words name both.
void explain_peers(size_t bytes);

// Moves a terminal's cursor to the beginning of its line, and erases the line.
inline constexpr char kEraseLine[] = "\r\x1b[K";

// Sets what is printed to standard error before words of a crash and last
// words: it erases a line that is shown for a while. Empty again at leave_run.
// `text` must live on.
void begin_words_with(const char* text);
// Does so for all processes of the job, which share `is_shown`: whether one of
// them shows such a line. Null: no longer.
void share_line(std::atomic<bool>* is_shown);
// Returns what words begin with: nothing, or what erases a line. For signal
// handlers too.
const char* beginning_of_words();

// Prints "magpie: rank R: message", unless another rank has said already why
// the job ends: then it leaves that one a second to end it.
void speak_last(std::string_view message);

// Calls `handler` for SIGUSR1 from now on, if the signal was left at its
// default. Interrupted system calls are resumed, except sleeps, which return
// early.
void take_signal(void (*handler)(int signal));

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_CRASH_H_
