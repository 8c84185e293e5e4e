// Signals that come to the supervisor's process, of which it hears in its turn.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>

#include "common/rma/shm/job.h"

namespace magpie::rma::shm {
namespace {

constexpr int kHeard[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

// A pipe of signals' numbers: the process's handler writes, and so does rank 0.
int heard[2];

// Actions of the program on these signals.
struct sigaction before[std::size(kHeard)];
sigset_t mask_before;

void on_signal(int signal, siginfo_t* info, void*) {
  const int error = errno;
  // A key of the terminal, whose signal all its processes have got. A terminal
  // that is closed tells its session's first process alone.
  wake_supervisor(signal == SIGINT && info->si_code > 0 ? -signal : signal);
  errno = error;
}

}  // namespace

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

void wake_supervisor(int signal) {
  if (write(heard[1], &signal, sizeof(signal)) < 0) {
    // It is awake: so many have written that the pipe is full.
  }
}

void wait_for_signals(int milliseconds) {
  pollfd some = {heard[0], POLLIN, 0};
  poll(&some, 1, milliseconds);
}

int next_signal() {
  int signal = 0;
  return read(heard[0], &signal, sizeof(signal)) > 0 ? signal : 0;
}

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

}  // namespace magpie::rma::shm
