#include "common/rma/shm/supervisor.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/crash.h"
#include "common/rma/shm/job.h"
#include "common/rma/shm/signals.h"

namespace magpie::rma::shm {
namespace {

// Number of the process that has launched first.
pid_t supervisor = 0;
// Whether it becomes the parent of those whose own parent has ended. Emulators
// and some sandboxes know nothing of that.
bool is_subreaper = false;

std::atomic<int>& process_of(int rank) {
  return job.control->states[static_cast<size_t>(rank)].process;
}

int most_ranks() { return job.control->most_ranks.load(); }

void kill_and_reap() {
  for (int r = 0; r < most_ranks(); ++r) {
    if (const pid_t process = process_of(r).load(); process > 0)
      kill(process, SIGKILL);
  }
  // Reaped one by one: the program may have other children, which live on.
  for (int r = 0; r < most_ranks(); ++r) {
    const pid_t process = process_of(r).load();
    while (process > 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

// ------------------------------------------------------- what a rank's end is

struct End {
  int rank;
  // Whether the rank has left the run.
  bool has_returned;
  int wait_status;

  // Whether the rank has left the run, and was not killed meanwhile.
  bool is_proper() const { return has_returned && WIFEXITED(wait_status); }
  // The job's status, as far as this rank is concerned.
  int status() const {
    if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
    const int status = WEXITSTATUS(wait_status);
    return status == 0 && !is_proper() ? 1 : status;
  }
  // Why the job ends; empty where a rank has said so, or the user has asked for
  // it.
  std::string words() const {
    if (WIFSIGNALED(wait_status)) {
      const int signal = WTERMSIG(wait_status);
      if (signal == last_signal()) return {};
      return absl::StrCat("rank ", rank, " died by signal ", signal, " (",
                          strsignal(signal), ")");
    }
    if (job.control->spoken.load()) return {};
    return absl::StrCat("rank ", rank, " called exit in the middle of the run");
  }
};

int rank_of(pid_t process) {
  for (int r = 0; r < most_ranks(); ++r)
    if (process_of(r).load() == process) return r;
  return -1;
}

// Waits for the end of a rank. From then on its process number may be another
// process's, so no signal is passed on to it.
End wait_for_end() {
  for (;;) {
    siginfo_t ended = {};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) < 0) continue;
    const int rank = rank_of(ended.si_pid);
    int wait_status = 0;
    if (rank < 0) {
      // A child that the program had before, or that a rank has left behind.
      waitpid(ended.si_pid, nullptr, 0);
      continue;
    }
    // Before a later run may begin, which sets it anew.
    const bool has_returned =
        job.control->returned[static_cast<size_t>(rank)].load();
    process_of(rank).store(0);
    waitpid(ended.si_pid, &wait_status, 0);
    return {rank, has_returned, wait_status};
  }
}

bool are_all_reaped() {
  for (int r = 0; r < most_ranks(); ++r)
    if (process_of(r).load() > 0) return false;
  return true;
}

// Ends the process as the job's ranks have ended: by the signal that the user
// has ended them with, or with a status.
[[noreturn]] void end_with(int status) {
  if (const int signal = last_signal(); status == 128 + signal) {
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    sigaction(signal, &by_default, nullptr);
    raise(signal);  // does nothing in the first process of a container
  }
  _exit(status);
}

[[noreturn]] void supervise() {
  int job_status = 0;
  do {
    const End end = wait_for_end();
    if (job_status == 0) job_status = end.status();
    if (end.is_proper()) continue;
    const std::string words = end.words();
    kill_and_reap();
    if (!words.empty()) {
      std::fprintf(stderr, "%smagpie: %s\n", internal::beginning_of_words(),
                   words.c_str());
    }
    end_with(job_status);
  } while (!are_all_reaped());
  end_with(job_status);
}

// ------------------------------------------------------------------- the start

[[noreturn]] void refuse_rank(int rank, int error) {
  job.control->spoken.store(true);
  if (getpid() == supervisor) kill_and_reap();
  flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot start rank ", rank,
                          ": ", strerror(error)));
}

void begin_as_child_of_supervisor() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);  // it died before the line above
}

// Starts a rank as a child. Returns true in the rank's process.
bool start_child(int rank) {
  const pid_t process = fork();
  if (process < 0) refuse_rank(rank, errno);
  if (process > 0) process_of(rank).store(process);
  return process == 0;
}

// Starts a rank as a grandchild, whose parent ends at once: the supervisor
// becomes its parent. Returns true in the rank's process.
bool start_grandchild(int rank) {
  const pid_t starter = fork();
  if (starter < 0) refuse_rank(rank, errno);
  if (starter == 0) {
    const pid_t self = getpid();
    const pid_t process = fork();
    if (process > 0) process_of(rank).store(process);
    if (process != 0) _exit(process > 0 ? 0 : errno);
    while (getppid() == self) usleep(10);
    return true;
  }
  int status = 0;
  while (waitpid(starter, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) refuse_rank(rank, WEXITSTATUS(status));
  return false;
}

// While it lives, the process hears of its children's ends, even where the
// program ignores them.
class HearsOfChildren {
 public:
  HearsOfChildren() {
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &by_default, &before_);
  }
  ~HearsOfChildren() { sigaction(SIGCHLD, &before_, nullptr); }
  HearsOfChildren(const HearsOfChildren&) = delete;
  HearsOfChildren& operator=(const HearsOfChildren&) = delete;

 private:
  struct sigaction before_;
};

// Waits for ranks of the last run, which have ended but may not be reaped.
void begin_run() {
  Control& control = *job.control;
  for (int r = 1; r < most_ranks(); ++r) {
    while (process_of(r).load() > 0) usleep(50);
  }
  for (size_t r = 0; r < static_cast<size_t>(job.ranks); ++r) {
    control.returned[r].store(false);
    control.states[r].doing.store(internal::Doing::kNotBegun);
    control.bells[r].wakes.store(0);
    control.bells[r].seen = 0;
  }
  control.spoken.store(false);
  control.ranks.store(job.ranks);
  if (job.ranks > most_ranks()) control.most_ranks.store(job.ranks);
}

}  // namespace

void begin_anew_without_subreaper() {
  if (supervisor == 0 || is_subreaper) return;
  supervisor = 0;
  unmap_control();
}

int start_ranks() {
  const HearsOfChildren hears;
  const bool is_first = supervisor == 0;
  if (is_first) supervisor = getpid();
  begin_run();
  if (!is_first) {
    for (int r = 1; r < job.ranks; ++r) {
      if (!start_grandchild(r)) continue;
      begin_as_child_of_supervisor();
      return r;
    }
    return 0;
  }
  is_subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  {
    const HeldSignals held;
    for (int r = 0; r < job.ranks; ++r) {
      if (!start_child(r)) continue;
      begin_as_child_of_supervisor();
      return r;
    }
    let_go_of_segments();
    pass_on_signals(job.control->states, &job.control->ranks);
  }
  supervise();
}

}  // namespace magpie::rma::shm
