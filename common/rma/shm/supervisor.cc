// The supervisor of a job: starts its processes, and watches over them.
//
// The supervisor is the process that launches first. It forks the ranks of all
// runs, and waits until they have ended. The program goes on in rank 0's
// process, which is rank 0 of later runs too: it gives the supervisor an order
// (Control::order), and the supervisor forks the other ranks of that run.
//
// Invariants:
//   1. One thread of one process, the supervisor's, forks ranks, kills them and
//      waits for them, one after the other: so when it kills, no rank is being
//      started, and Control::statuses names the process of each rank that it
//      has not waited for. Signals wait in a pipe until it reads them.
//   2. Control::order is written by rank 0 when the ranks of the run before
//      have ended, and then by nobody until they have ended again.

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/shm/job.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::shm {
namespace {

// Number of the process that has launched first.
pid_t supervisor = 0;

// State of the supervisor: the most ranks of any run so far; the monitor of the
// run's ranks; whether SIGUSR1 asks it to print; and the last signal that was
// passed on, or that a terminal has sent; 0: none.
int most_ranks = 0;
std::optional<internal::LivenessMonitor> monitor;
bool answers_sigusr1 = false;
int last_signal = 0;

std::atomic<int>& process_of(int rank) {
  return job.control->statuses[static_cast<size_t>(rank)].process;
}

// Whether the rank has left the run.
bool has_returned(int rank) {
  const RankStatus& status = job.control->statuses[static_cast<size_t>(rank)];
  return status.activity.load() == Activity::kEnded;
}

// Processes that are children of the supervisor, as the system tells.
std::vector<pid_t> children() {
  std::ifstream file(absl::StrCat("/proc/self/task/", getpid(), "/children"));
  return {std::istream_iterator<pid_t>(file), {}};
}

// Children that the program had before its first run: they may live on.
std::vector<pid_t> children_before;

// Ends what ranks have started and left behind, whose parent the supervisor has
// become: after a moment in which it may end by itself. Killed processes may
// leave children of their own behind. REQUIRES: no rank is left.
void end_what_is_left() {
  constexpr int kLooks = 100;
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 5'000'000};
  for (int looks = 0;; ++looks) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    bool is_any_left = false;
    for (const pid_t child : children()) {
      if (std::ranges::find(children_before, child) != children_before.end())
        continue;
      // A process that may not be killed is left alone.
      if (looks < kLooks || kill(child, SIGKILL) == 0) is_any_left = true;
    }
    if (!is_any_left) return;
    nanosleep(&kPause, nullptr);
  }
}

void kill_and_reap() {
  for (int r = 0; r < most_ranks; ++r) {
    if (const pid_t process = process_of(r).load(); process > 0)
      kill(process, SIGKILL);
  }
  // Reaped one by one: the program may have other children, which live on.
  for (int r = 0; r < most_ranks; ++r) {
    const pid_t process = process_of(r).load();
    while (process > 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

// ------------------------------------------------------- what a rank's end is

int rank_of(pid_t process) {
  for (int r = 0; r < most_ranks; ++r)
    if (process_of(r).load() == process) return r;
  return -1;
}

// Whether a rank runs, or has ended and was not waited for, from `first` on.
bool is_any_left(int first) {
  for (int r = first; r < most_ranks; ++r)
    if (process_of(r).load() > 0) return true;
  return false;
}

// Ends the process as the job's ranks have ended: by the signal that the user
// has ended them with, or with a status.
[[noreturn]] void end_with(int status) {
  monitor.reset();
  end_what_is_left();
  if (status == 128 + last_signal) {
    signal(last_signal, SIG_DFL);
    raise(last_signal);  // does nothing in the first process of a container
  }
  _exit(status);
}

// Says why the job ends; but not where a rank has said so, or the user has
// asked for it. `status` is as waitpid() tells it; nothing where it does not,
// since a thread of the program has waited for the process.
void explain_end(int rank, std::optional<int> status) {
  std::string words =
      absl::StrCat("rank ", rank, ": called exit in the middle of the run");
  if (!status) {
    words = absl::StrCat(
        "a thread of the program, which is older than the run, has waited for "
        "the process of rank ",
        rank, ": how it ended is lost");
  } else if (WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    if (signal == last_signal) return;
    words = absl::StrCat("rank ", rank, " died by signal ", signal, " (",
                         strsignal(signal), ")");
  } else if (job.control->spoken.load()) {
    return;
  }
  std::fprintf(stderr, "%smagpie: %s\n", internal::beginning_of_words(),
               words.c_str());
}

// --------------------------------------------------------------------- signals

// Signals that the supervisor hears of: the ends of its children, and what it
// passes on, but what it ignores. So the job ends when it is told to, even as
// the first process of a container.
constexpr int kHeard[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

// A pipe of signals' numbers: the process's handler writes, and so does rank 0.
int heard[2];

// Actions of the program on these signals, and its mask.
struct sigaction before[std::size(kHeard)];
sigset_t mask_before;

// Makes the supervisor hear of `signal`, too. For all processes of the job.
void wake_supervisor(int signal) {
  if (write(heard[1], &signal, sizeof(signal)) < 0) {
    // It is awake: so many have written that the pipe is full.
  }
}

void on_signal(int signal, siginfo_t* info, void*) {
  const int error = errno;
  // Negative: a key of the terminal, whose signal all its processes have got. A
  // terminal that is closed tells its session's first process alone.
  wake_supervisor(signal == SIGINT && info->si_code > 0 ? -signal : signal);
  errno = error;
}

// False, and errno: that failed.
bool hear_signals() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
  if (pipe2(heard, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  for (size_t i = 0; i < std::size(kHeard); ++i) {
    sigaction(kHeard[i], nullptr, &before[i]);
    if (kHeard[i] == SIGCHLD || before[i].sa_handler != SIG_IGN)
      sigaction(kHeard[i], &action, nullptr);
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &ends, &mask_before);
  return true;
}

// Forks. The child handles signals as the program does.
pid_t fork_rank() {
  // The child has the handler, and may get a signal, before it can change that.
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  const pid_t process = fork();
  if (process == 0) {
    for (size_t i = 0; i < std::size(kHeard); ++i)
      sigaction(kHeard[i], &before[i], nullptr);
    mask = mask_before;
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  return process;
}

// Passes a signal on to the ranks, for their handlers or to end them, or
// answers it.
void take_signal(int signal) {
  if (signal == SIGCHLD) return;
  if (signal == SIGUSR1 && answers_sigusr1) {
    if (monitor) monitor->print();
    return;
  }
  last_signal = std::abs(signal);
  for (int r = 0; signal > 0 && r < most_ranks; ++r)
    if (const pid_t process = process_of(r).load(); process > 0)
      kill(process, signal);
}
void take_signals() {
  for (int signal; read(heard[0], &signal, sizeof(signal)) > 0;)
    take_signal(signal);
}

// Ends the job with the last rank's process, or where the rank has not left the
// run, or was killed meanwhile. `status` is as explain_end() takes it.
void hear_of_end(int rank, std::optional<int> status) {
  static int job_status = 0;
  process_of(rank).store(0);
  take_signals();  // one of them may have ended it
  const bool is_exit = status && WIFEXITED(*status);
  const bool is_proper = is_exit && has_returned(rank);
  if (job_status == 0) {
    job_status = !status   ? 1
                 : is_exit ? WEXITSTATUS(*status)
                           : 128 + WTERMSIG(*status);
    if (job_status == 0 && !is_proper) job_status = 1;
  }
  if (!is_proper) {
    kill_and_reap();
    explain_end(rank, status);
  }
  if (!is_proper || !is_any_left(0)) end_with(job_status);
}

// Waits for children that have ended. Some are no ranks: the program had them
// before, or a rank has left them behind.
void hear_of_ends() {
  int status = 0;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    if (const int rank = rank_of(process); rank >= 0) hear_of_end(rank, status);
  // A thread of the program may have waited for a rank.
  for (int r = 0; r < most_ranks; ++r) {
    const pid_t process = process_of(r).load();
    siginfo_t ended = {};
    if (process > 0 && waitid(P_PID, static_cast<id_t>(process), &ended,
                              WEXITED | WNOHANG | WNOWAIT) != 0)
      hear_of_end(r, std::nullopt);
  }
}

// ------------------------------------------------------------------- the start

[[noreturn]] void refuse_rank(int rank, int error) {
  job.control->spoken.store(true);
  kill_and_reap();
  flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot start rank ", rank,
                          ": ", strerror(error),
                          error == EAGAIN ? " (ulimit -u)" : ""));
}

// Forks ranks, `first` and those that follow. Returns the rank that the calling
// process has become; -1: it is the supervisor.
int fork_ranks(int first) {
  for (int r = first; r < job.ranks; ++r) {
    const pid_t process = fork_rank();
    if (process < 0) refuse_rank(r, errno);
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != supervisor) _exit(1);  // it died before the line above
      return r;
    }
    process_of(r).store(process);
  }
  return -1;
}

void begin_run() {
  Control& control = *job.control;
  static_cast<Options&>(job) = control.order.options;
  for (size_t r = 0; r < static_cast<size_t>(job.ranks); ++r) {
    control.statuses[r].activity.store(Activity::kNotBegun);
    control.bells[r].wakes.store(0);
    control.bells[r].seen = 0;
  }
  control.spoken.store(false);
  most_ranks = std::max(most_ranks, job.ranks);
  monitor.emplace(
      job.liveness,
      std::span(control.statuses).first(static_cast<size_t>(job.ranks)),
      control.spoken);
}

// Looks whether the run goes on, and tells rank 0 when it is over.
void look_at_run() {
  if (!monitor) return;
  if (monitor->look()) {
    kill_and_reap();
    end_with(1);
  }
  if (is_any_left(1) || !has_returned(0)) return;
  monitor.reset();
  sem_post(&job.control->done);
}

// Supervises. Returns in each rank that it forks.
int supervise() {
  for (;;) {
    if (job.control->is_ordered.exchange(false)) {
      begin_run();
      if (const int rank = fork_ranks(1); rank > 0) return rank;
      sem_post(&job.control->done);
    }
    pollfd signals = {heard[0], POLLIN, 0};
    poll(&signals, 1, monitor ? monitor->ms_to_look() : -1);
    take_signals();
    hear_of_ends();
    look_at_run();
  }
}

}  // namespace

int start_ranks() {
  if (supervisor != 0) {
    job.control->is_ordered.store(true);
    wait_for_supervisor();
    return 0;
  }
  supervisor = getpid();
  children_before = children();
  // Emulators and some sandboxes do not know this.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  answers_sigusr1 = internal::answers_sigusr1();
  if (!hear_signals()) refuse_rank(0, errno);
  sem_init(&job.control->done, 1, 0);
  begin_run();
  const int rank = fork_ranks(0);
  return rank >= 0 ? rank : supervise();
}

void wait_for_supervisor() {
  wake_supervisor(SIGCHLD);
  while (sem_wait(&job.control->done) != 0) {
  }
}

}  // namespace magpie::rma::shm
