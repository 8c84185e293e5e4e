// End of a job, and whether it goes on.
//
// Last words (crash.cc) are what a process prints that crashes or exits in the
// midst of a run. Two things need no call, in every program that links a
// backend: where its standard output could not be written it ends with status 1
// in the place of 0; and a call that needs a run, outside of one, prints an
// error and ends the program.
//
// Liveness (liveness.cc) is whether a job on a real network goes on, and what
// its ranks do. One process looks at all ranks of a node from outside: at what
// they tell (RankStatus) and at what the system tells of their processes.
// A rank lives where, since the last look,
//   - a counter that it shows has changed, or it has left a collective,
//   - its own code has computed: its process has used its cores for longer than
//     its calls of idle() take, if there were any, and a hundredth of the time
//     more,
//   - or its own code is in a system call that may return without another
//     rank's or thread's doing: a sleep, a file, a lock with a time limit,
//   - or a debugger has stopped it,
//   - or the system does not let one process read another's memory.
// So what waits at a lock, searches for work, is in a collective, or does
// nothing but call idle() and rest() does not; nor does it while it steals in
// vain. What computes for hours lives.

#ifndef MAGPIE_COMMON_RMA_SUPERVISION_SUPERVISION_H_
#define MAGPIE_COMMON_RMA_SUPERVISION_SUPERVISION_H_

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "common/rma/rma.h"

namespace CLI {
class App;
}

namespace magpie::rma::internal {

// ------------------------------------------------------------------ last words

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
// `spoken` is shared by the ranks, one of which says why the job ends, and is
// kept until the next call; null where there is but this process.
// explain(address) returns the meaning of a fault there, or null where it knows
// none; the function itself may be null.
// REQUIRES: backend::current is set. Once its region is mapped, an inaccessible
// page lies directly below it.
void enter_run(const SegmentLayout& layout, std::atomic<bool>* spoken,
               const char* (*explain)(uintptr_t address));

// Ends that, and backend::current is nobody again.
void leave_run();

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

// -------------------------------------------------------------------- liveness

// --patience and --progress, in seconds.
struct LivenessOptions {
  // Seconds without life after which the job ends; 0: it never does.
  double patience = checks_are_active() ? 30 : 0;
  double progress = 3;
};
void add_options(CLI::App& app, LivenessOptions& options);

// Begins the status of the calling rank, which SIGUSR1 to its process prints
// from now on, and ends it. From before main() on the signal does not end the
// process. A program's own handler of it, or its wish to ignore it, is
// respected: then it prints nothing.
void begin_status(RankStatus& status);
void end_status();
// Whether the program leaves SIGUSR1 to that.
bool answers_sigusr1();

// A line on a terminal that tells how far a long run is, and is renewed.
//
//   if (line.is_due()) line.show("123 of 1000 seeds");
//
// Thread safety: one thread. Invariants:
//   1. Where standard error is no terminal nothing is written.
//   2. While a line is shown, the cursor stands at its beginning, and last
//      words erase it first.
class ProgressLine {
 public:
  // No line is shown before `after` real seconds have passed.
  explicit ProgressLine(double after)
      : is_terminal_(isatty(STDERR_FILENO) != 0),
        period_(std::min(after, 0.5)),
        due_(after) {}
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether it is time to show the line, or to renew it.
  bool is_due() const { return is_terminal_ && seconds() >= due_; }
  // Shows `line` in the place of what is shown.
  void show(std::string_view line) {
    std::fprintf(stderr, "%smagpie: %.*s\r", kEraseLine,
                 static_cast<int>(line.size()), line.data());
    std::fflush(stderr);
    shown_ = true;
    due_ = seconds() + period_;
  }
  // Real seconds since the construction.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }
  // Erases the line, so that what others write does not stand beside it. It is
  // shown again when it is due.
  void erase() {
    if (!shown_) return;
    shown_ = false;
    std::fputs(kEraseLine, stderr);
    std::fflush(stderr);
  }

 private:
  // Moves the cursor to the beginning of its line, and erases the line.
  static constexpr char kEraseLine[] = "\r\x1b[K";

  const bool is_terminal_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  // Seconds between two renewals, and from the start to the next.
  const double period_;
  double due_;
  bool shown_ = false;
};

// Looks at all ranks of a node.
//
// Thread safety: one thread, which need not be a rank's.
class LivenessMonitor {
 public:
  // `spoken`: whether a process has already said why the job ends.
  LivenessMonitor(const LivenessOptions& options,
                  std::span<const RankStatus> ranks, std::atomic<bool>& spoken);

  // Milliseconds until the next look, for poll(); -1: none is needed.
  int ms_to_look() const;
  // Looks, where it is time, and renews the line that tells a terminal how far
  // the job is. True: the job is to end, since no rank has lived for
  // `patience`, and that is said. Time does not count while the caller itself
  // is stopped, as all of the job may be by a debugger or by the terminal.
  bool look();
  // Answers SIGUSR1: prints what each rank does.
  void print();

 private:
  // A rank as it was at the last look.
  struct Seen {
    // Numbers that only grow: what a rank has counted, and the core time of its
    // process, in nanoseconds; and whether the system let the counters be read.
    RankStatus::Values counters;
    uint64_t collectives, polls, core_ns;
    bool is_readable;
    Activity activity;
    // Time without a sign of life, in nanoseconds.
    uint64_t quiet_ns;
  };

  Seen look_at(const RankStatus& rank, const Seen& before,
               uint64_t passed) const;
  void look_at_all();
  void print_all() const;
  void show_line();

  const LivenessOptions options_;
  const std::span<const RankStatus> ranks_;
  std::atomic<bool>& spoken_;
  // Nanoseconds between two looks; 0: only SIGUSR1 makes it look.
  const uint64_t period_;
  ProgressLine line_;
  std::vector<Seen> seen_;
  uint64_t last_look_;
};

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SUPERVISION_SUPERVISION_H_
