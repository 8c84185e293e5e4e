// Starting the ranks, watching over them, and what a rank asks of its process.

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/crash.h"
#include "common/rma/machine.h"
#include "common/rma/memory_limit.h"
#include "common/rma/outside.h"
#include "common/rma/real_time.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"
#include "common/rma/shm/signals.h"
#include "common/rma/waits.h"
#include "common/rma/watch.h"

namespace magpie::rma {

namespace shm {

Job job;

namespace {

void kill_and_reap(const std::vector<pid_t>& ranks) {
  for (pid_t pid : ranks) {
    if (pid > 0) kill(pid, SIGKILL);
  }
  // One by one: the program may have other children, which live on.
  for (pid_t pid : ranks) {
    while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

// Why the end of a rank is the end of the job; empty when it is a proper one,
// and where the user has asked for it. Sets the job's exit status.
std::string failure(int rank, int wait_status, int* exit_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    *exit_status = 128 + signal;
    if (signal == last_signal()) return {};
    return absl::StrCat("rank ", rank, " died by signal ", signal, " (",
                        strsignal(signal), ")");
  }
  *exit_status = WEXITSTATUS(wait_status);
  if (!job.control->returned[static_cast<size_t>(rank)].load()) {
    if (*exit_status == 0) *exit_status = 1;
    if (job.control->spoken.load()) return {};
    return absl::StrCat("rank ", rank, " called exit in the middle of the run");
  }
  return {};
}

// Waits until a process of the job ends, and returns its rank. From then on its
// number may be another process's, and no signal is passed on to it.
size_t wait_for_rank(std::vector<pid_t>* ranks, int* wait_status) {
  for (;;) {
    siginfo_t ended = {};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) < 0) continue;
    size_t rank = 0;
    while (rank < ranks->size() && (*ranks)[rank] != ended.si_pid) ++rank;
    if (rank < ranks->size()) {
      job.control->states[rank].process.store(0);
      (*ranks)[rank] = 0;
    }
    waitpid(ended.si_pid, wait_status, 0);
    // Otherwise, a child that the program had before.
    if (rank < ranks->size()) return rank;
  }
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

// The parent's part: waits for the ranks, ends the job when one fails. Never
// returns into the program, which goes on in rank 0. When that launches again,
// it becomes the parent of the next run's ranks, and ends as they do.
[[noreturn]] void supervise(std::vector<pid_t> ranks) {
  int job_status = 0;
  pass_on_signals(states());
  for (int alive = job.ranks; alive > 0; --alive) {
    int wait_status;
    const size_t rank = wait_for_rank(&ranks, &wait_status);
    int status;
    const std::string words =
        failure(static_cast<int>(rank), wait_status, &status);
    const bool returned =
        job.control->returned[rank].load() && WIFEXITED(wait_status);
    if (status != 0 && job_status == 0) job_status = status;
    if (!returned) {
      kill_and_reap(ranks);
      if (!words.empty()) {
        std::fprintf(stderr, "%smagpie: %s\n", internal::beginning_of_words(),
                     words.c_str());
      }
      end_with(job_status);
    }
  }
  end_with(job_status);
}

Self make_self(int rank, const SegmentLayout& layout) {
  Self self;
  self.rank = rank;
  self.size = job.ranks;
  self.region = reinterpret_cast<std::byte*>(kOwnSegment);
  self.region_bytes = layout.region_bytes;
  self.heap_origin = reinterpret_cast<std::byte*>(kOwnSegment);
  return self;
}

void become_rank(int rank, const SegmentLayout& layout, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the line above
  static Self the_self;
  the_self = make_self(rank, layout);
  backend::current = &the_self;
  map_segments();
  internal::enter_run(layout, &job.control->spoken);
  internal::explain_peers(job.stride);
  if (job.guard) {
    internal::explain_faults(
        reinterpret_cast<void*>(kPeers),
        static_cast<size_t>(job.ranks) * job.stride,
        "access to another rank's memory outside the RMA shim (--shm_guard)");
  }
  internal::start_watch({.options = job.watch,
                         .states = states(),
                         .own = &states()[static_cast<size_t>(rank)],
                         .end_job = [] { _exit(1); },
                         .spoken = &job.control->spoken});
}

// Returns on rank 0 only, when the run is over on all ranks and nothing holds
// its memory any more: the next one may need it.
int leave_as_rank(int result) {
  std::fflush(nullptr);
  internal::stop_watch();
  unmap_segments();
  job.control->returned[static_cast<size_t>(rank())].store(true);
  if (rank() != 0) _exit(result);
  for (int r = 1; r < job.ranks; ++r) {
    while (!job.control->returned[static_cast<size_t>(r)].load()) usleep(50);
  }
  internal::leave_run();
  internal::share_line(nullptr);
  unmap_control();
  return result;
}

// Ranks are forked, and a fork takes along the thread that calls it alone.
void warn_of_threads() {
  const int others = internal::count_threads() - 1;
  if (others <= 0) return;
  std::fprintf(stderr,
               "magpie: warning: the program has started %d other thread%s, "
               "which go%s on in no rank: start threads in ranks, or after "
               "the run\n",
               others, others == 1 ? "" : "s", others == 1 ? "es" : "");
}

void idle_once() {
  // Other programs may want the core too, so now and then it is offered to them
  // in any case.
  constexpr uint32_t kIdlesPerYield = 64;
  if (job.short_of_cores || ++job.idles % kIdlesPerYield == 0) {
    sched_yield();
    return;
  }
  for (int i = 0; i < 16; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

}  // namespace
}  // namespace shm

int ranks_to_launch() {
  return shm::job.ranks == 0 ? internal::available_cores() : shm::job.ranks;
}

int launch(const SegmentLayout& wanted, int (*rank_main)(void* arg), void* arg,
           size_t) {
  internal::refuse_nested_run();
  internal::refuse_launcher();
  const SegmentLayout layout = internal::with_aligned_heap(wanted);
  shm::Job& job = shm::job;
  job.ranks = ranks_to_launch();
  job.short_of_cores = job.ranks > internal::available_cores();
  shm::create_shared_memory(layout);
  shm::warn_of_threads();
  std::fflush(nullptr);  // or every rank prints what is still buffered
  // Where a program ignores the ends of its children, nobody hears of them.
  struct sigaction by_default = {}, on_child;
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, &on_child);
  const pid_t parent = getpid();
  std::vector<pid_t> ranks;
  for (int r = 0; r < job.ranks; ++r) {
    const pid_t pid = fork();
    if (pid < 0) {
      const int error = errno;
      shm::kill_and_reap(ranks);
      flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot start rank ", r,
                              ": ", strerror(error)));
    }
    if (pid == 0) {
      sigaction(SIGCHLD, &on_child, nullptr);
      shm::become_rank(r, layout, parent);
      return shm::leave_as_rank(internal::as_status(rank_main(arg)));
    }
    ranks.push_back(pid);
  }
  shm::let_go_of_segments();
  shm::supervise(std::move(ranks));
}

void fatal(std::string_view message) {
  internal::speak_last(message);
  _exit(1);
}

int node_of(int) { return 0; }

void idle(int times) {
  internal::require_run("rma::idle");
  self().pulse.count_polls(times);
  for (; times > 0; --times) shm::idle_once();
}

void poll() {}  // nothing here needs the target's help

}  // namespace magpie::rma
