#include "common/rma/shm/signals.h"

#include <array>
#include <cerrno>
#include <iterator>

#include "common/rma/asked.h"

namespace magpie::rma::shm {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

// State of the process, to which signal handlers belong.
std::span<internal::RankState> all;
const std::atomic<int>* receivers = nullptr;
void (*on_end_of_child)() = nullptr;
std::atomic<int> last = 0;

void pass_on(int signal, siginfo_t* info, void*) {
  const int error = errno;
  last.store(signal);
  // A key of the terminal, whose signal all its processes have got. A terminal
  // that is closed tells its session's first process alone.
  const bool have_all_got_it = signal == SIGINT && info->si_code > 0;
  for (const internal::RankState& rank :
       all.first(static_cast<size_t>(receivers->load()))) {
    const int process = rank.process.load();
    if (!have_all_got_it && process > 0) kill(process, signal);
  }
  errno = error;
}

void on_child(int) {
  const int error = errno;
  on_end_of_child();
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

bool is_to_be_passed_on(int signal) {
  struct sigaction is;
  sigaction(signal, nullptr, &is);
  if (is.sa_handler == SIG_IGN) return false;
  return signal != SIGUSR1 || !internal::is_answered();
}

}  // namespace

void pass_on_signals(std::span<internal::RankState> states,
                     const std::atomic<int>* count, void (*on_end)()) {
  all = states;
  receivers = count;
  on_end_of_child = on_end;
  const sigset_t held = passed_on();
  sigprocmask(SIG_BLOCK, &held, &mask_before);
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal : kPassedOn)
    if (is_to_be_passed_on(signal)) handle(signal, action);
  struct sigaction child = {};
  child.sa_handler = on_child;
  child.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  handle(SIGCHLD, child);
  internal::answer_for(states, count);
}

void pass_on_no_signals() {
  for (const Before& is : std::span(before).first(handled))
    sigaction(is.signal, &is.action, nullptr);
  internal::answer_for({}, nullptr);
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

}  // namespace magpie::rma::shm
