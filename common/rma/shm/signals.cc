// What the supervisor does with signals that are meant for the job.

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <span>

#include "common/rma/shm/job.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::shm {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

// State of the process, to which signal handlers belong.
std::span<const RankStatus> all;
const std::atomic<int>* receivers = nullptr;
void (*wake_supervisor)() = nullptr;
std::atomic<int> last = 0;
std::atomic<bool> asked = false;

void pass_on(int signal, siginfo_t* info, void*) {
  const int error = errno;
  last.store(signal);
  // A key of the terminal, whose signal all its processes have got. A terminal
  // that is closed tells its session's first process alone.
  const bool have_all_got_it = signal == SIGINT && info->si_code > 0;
  for (const RankStatus& rank :
       all.first(static_cast<size_t>(receivers->load()))) {
    const int process = rank.process.load();
    if (!have_all_got_it && process > 0) kill(process, signal);
  }
  errno = error;
}

void wake(int signal) {
  const int error = errno;
  if (signal == SIGUSR1) asked.store(true);
  wake_supervisor();
  errno = error;
}

// What the program does with a signal that the process handles for it.
struct Before {
  int signal;
  struct sigaction action;
};
std::array<Before, std::size(kPassedOn) + 1> before;
size_t handled = 0;
sigset_t mask_before;

sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : kPassedOn) sigaddset(&set, signal);
  return set;
}

void handle(int signal, const struct sigaction& action) {
  Before& is = before[handled++];
  is.signal = signal;
  sigaction(signal, &action, &is.action);
}

bool is_ignored(int signal) {
  struct sigaction is;
  sigaction(signal, nullptr, &is);
  return is.sa_handler == SIG_IGN;
}

}  // namespace

void pass_on_signals(std::span<const RankStatus> statuses,
                     const std::atomic<int>* count, void (*wake_it)()) {
  all = statuses;
  receivers = count;
  wake_supervisor = wake_it;
  const sigset_t held = passed_on();
  sigprocmask(SIG_BLOCK, &held, &mask_before);
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  struct sigaction own = {};
  own.sa_handler = wake;
  own.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  for (int signal : kPassedOn) {
    const bool is_own = signal == SIGUSR1 && internal::answers_sigusr1();
    if (!is_ignored(signal)) handle(signal, is_own ? own : action);
  }
  handle(SIGCHLD, own);
}

void pass_on_no_signals() {
  for (const Before& is : std::span(before).first(handled))
    sigaction(is.signal, &is.action, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

void hold_signals() {
  const sigset_t held = passed_on();
  sigprocmask(SIG_BLOCK, &held, nullptr);
}

void let_signals_come() {
  sigset_t waiting = mask_before;
  sigdelset(&waiting, SIGCHLD);
  sigprocmask(SIG_SETMASK, &waiting, nullptr);
}

int last_signal() { return last.load(); }

bool is_asked() { return asked.exchange(false); }

}  // namespace magpie::rma::shm
