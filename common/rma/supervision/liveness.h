// Whether a job on a real network goes on, and what its ranks do. One process
// looks at all ranks of a node from outside: at what they tell (rank_status.h)
// and at what the system tells of their processes.
//
// A rank lives where, since the last look,
//   - a counter that it shows has changed, or it has left a collective,
//   - its own code has computed: its thread has used its core for longer than
//     its calls of idle() take, if there were any,
//   - or its own code is in a system call that may return without another
//     rank's or thread's doing: a sleep, a file, a lock with a time limit,
//   - or another thread of its process has computed meanwhile,
//   - or a debugger has stopped it,
//   - or the system does not let one process read another's memory.
// So what waits at a lock, searches for work, is in a collective, or does
// nothing but call idle() and rest() does not; nor does it while it steals in
// vain. What computes for hours lives.

#ifndef MAGPIE_COMMON_RMA_SUPERVISION_LIVENESS_H_
#define MAGPIE_COMMON_RMA_SUPERVISION_LIVENESS_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/rank_status.h"
#include "common/rma/supervision/progress_line.h"

namespace CLI {
class App;
}

namespace magpie::rma::internal {

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

// Looks at all ranks of a node.
//
// Thread safety: one thread, which need not be a rank's.
class LivenessMonitor {
 public:
  // `spoken`: whether a process has already said why the job ends; null: not
  // known.
  LivenessMonitor(const LivenessOptions& options,
                  std::span<const RankStatus> ranks, std::atomic<bool>* spoken);

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
  // Numbers that only grow: what a rank has counted, and the core time of its
  // thread and of its process, in nanoseconds.
  struct Sample {
    RankStatus::Values counters;
    uint64_t collectives, polls, thread_ns, process_ns;
    // Whether the system let the counters be read.
    bool is_readable;
  };
  // A rank as it was at the last look; and the time without a sign of life, in
  // nanoseconds.
  struct Seen {
    Sample sample;
    Activity activity;
    uint64_t quiet_ns;
  };

  static Activity in_own_code(const RankStatus& rank, const Sample& is,
                              const Sample& before, uint64_t passed);
  void look_at_all();
  void print_all() const;
  void show_line();

  const LivenessOptions options_;
  const std::span<const RankStatus> ranks_;
  std::atomic<bool>* const spoken_;
  // Nanoseconds between two looks; 0: only SIGUSR1 makes it look.
  const uint64_t period_;
  ProgressLine line_;
  std::vector<Seen> seen_;
  uint64_t last_look_;
};

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SUPERVISION_LIVENESS_H_
