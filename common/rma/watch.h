// The watch: a thread beside each rank of a real network that looks now and
// then whether the rank lives. One of these threads says so when no rank does.
// And the line that tells a terminal how far a long run is.
//
// A rank lives where, since the last look,
//   - a task was spawned, ended or stolen,
//   - it has left a collective,
//   - it has computed in code of its own: used its core for longer than calls
//     of idle() take, if there were any,
//   - or it is in a system call that may return without another rank's or
//     thread's doing: a sleep, a file, a lock with a time limit,
//   - or another thread of its process has computed.
// So what waits at a lock, searches for work, is in a collective, or does
// nothing but call idle() and rest() does not; nor does it while it steals in
// vain. What computes for hours lives.
//
// Thread safety: the functions are called by the rank's own thread. The watch
// is a thread that calls no function of rma.h and takes no signal. Invariants:
//   1. Time does not count while the watch itself is stopped, as all of the job
//      may be by a debugger or by the terminal.
//   2. Only the first rank's watch judges; a rank whose watch has not looked
//      for long is taken to live.

#ifndef MAGPIE_COMMON_RMA_WATCH_H_
#define MAGPIE_COMMON_RMA_WATCH_H_

#include <span>

#include "common/rma/check.h"
#include "common/rma/rank_state.h"

namespace CLI {
class App;
}

namespace magpie::rma::internal {

// --patience and --progress, in seconds.
struct WatchOptions {
  // Seconds without life after which the job ends; 0: it never does.
  double patience = checks_are_active() ? 30 : 0;
  double progress = 3;
};
void add_options(CLI::App& app, WatchOptions& options);

struct Watched {
  WatchOptions options;
  // States of all ranks that the first rank's watch judges, with this rank's.
  std::span<RankState> states;
  // The state of this rank.
  RankState* own;
  // Ends the process, and thereby the job, with status 1, when the watch has
  // said why. Called by the watch.
  void (*end_job)();
  // Whether a rank has already said why the job ends; null: not known.
  std::atomic<bool>* spoken;
};

// Begins the rank's state, which SIGUSR1 prints from now on, and its watch,
// where patience or a terminal asks for one. REQUIRES: there is a run.
void start_watch(const Watched& watched);
// Ends both. Does nothing where they have not begun.
void stop_watch();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_WATCH_H_
