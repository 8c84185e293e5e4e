#include "common/rma/exits.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace magpie::rma::internal {
namespace {

pid_t refusing = 0;
bool (*runs)() = nullptr;
void (*refuse_exit)(int status) = nullptr;

void refuse_if_running(int status) {
  if (refusing == getpid() && runs()) refuse_exit(status == 0 ? 1 : status);
}

// Ends a process that would end well, but whose results are lost.
void tell_of_lost_output(int status, void*) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.bad())
    return;
  std::fputs(
      "magpie: standard output could not be written: what was printed is lost, "
      "or a part of it\n",
      stderr);
  if (status == 0) _exit(1);
}

// Called after all that the program has asked for at its exit.
[[maybe_unused]] const int looks_at_output =
    on_exit(tell_of_lost_output, nullptr);

}  // namespace

void refuse_exits(bool (*is_running)(), void (*refuse)(int status)) {
  runs = is_running;
  refuse_exit = refuse;
  refusing = getpid();
  static const bool registered =
      on_exit([](int status, void*) { refuse_if_running(status); }, nullptr) ==
          0 &&
      at_quick_exit([] { refuse_if_running(0); }) == 0;
  if (!registered) abort();
}

}  // namespace magpie::rma::internal

// Replace the C library's functions, which call no handler before they exit.
extern "C" void _exit(int status) {
  if (status == 0) magpie::rma::internal::refuse_if_running(status);
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" void _Exit(int status) { _exit(status); }
