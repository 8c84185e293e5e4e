#include "common/rma/exits.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace magpie::rma::internal {
namespace {

pid_t refusing = 0;
bool (*runs)() = nullptr;
void (*refuse_exit)(int status) = nullptr;

void refuse_if_running(int status) {
  if (refusing == getpid() && runs()) refuse_exit(status == 0 ? 1 : status);
}

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
