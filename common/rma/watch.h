// A thread beside each rank of a real network that looks now and then whether
// the rank lives, and of which one says so when none of them does. And the line
// that tells a terminal how far a long run is.
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
//   1. Time counts in which the watch itself was not stopped, as with all of
//      the job by a debugger or by the terminal.
//   2. One watch judges, the first's; a rank whose watch has not looked for
//      long is taken to live.

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
  // 0: no end.
  double patience = checks_are_active() ? 30 : 0;
  double progress = 3;
};
void add_options(CLI::App& app, WatchOptions& options);

struct Watched {
  WatchOptions options;
  // Of all ranks whom the first one's watch judges, this rank's among them.
  std::span<RankState> states;
  // This rank's.
  RankState* own;
  // Ends the process, and thereby the job, with status 1, when the watch has
  // said why. Called by the watch.
  void (*end_job)();
  // Whether a rank has said already why the job ends; null: not known.
  std::atomic<bool>* spoken;
};

// The rank begins: it has a state, and SIGUSR1 prints it. And it has a watch,
// where patience or a terminal asks for one. REQUIRES: there is a run.
void start_watch(const Watched& watched);
// It ends. Does nothing where it has not begun.
void stop_watch();

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_WATCH_H_
