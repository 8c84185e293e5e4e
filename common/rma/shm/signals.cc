#include "common/rma/shm/signals.h"

#include <cerrno>

#include "common/rma/asked.h"

namespace magpie::rma::shm {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

// State of the process, to which signal handlers belong.
std::span<internal::RankState> all;
const std::atomic<int>* receivers = nullptr;
std::atomic<int> last = 0;

void pass_on(int signal, siginfo_t* info, void*) {
  const int error = errno;
  last.store(signal);
  const bool is_from_a_process = info->si_code <= 0;
  for (const internal::RankState& rank :
       all.first(static_cast<size_t>(receivers->load()))) {
    const int process = rank.process.load();
    if (is_from_a_process && process > 0) kill(process, signal);
  }
  errno = error;
}

bool is_to_be_passed_on(int signal) {
  struct sigaction is;
  sigaction(signal, nullptr, &is);
  if (is.sa_handler == SIG_IGN) return false;
  return signal != SIGUSR1 || is.sa_handler != SIG_DFL;
}

}  // namespace

void pass_on_signals(std::span<internal::RankState> states,
                     const std::atomic<int>* count) {
  all = states;
  receivers = count;
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal : kPassedOn)
    if (is_to_be_passed_on(signal)) sigaction(signal, &action, nullptr);
  internal::answer_for(states, count);
}

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : kPassedOn) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

int last_signal() { return last.load(); }

}  // namespace magpie::rma::shm
