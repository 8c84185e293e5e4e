// Lets gdb print the stacks of leaves, some of whose ancestors run on another
// rank. For debugger_test.py.

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"

namespace {

// Looks at the stack of some leaves. Returns 1 if it did.
[[gnu::noinline]] int look() {
  static int leaves = 0;
  magpie::rma::compute(100'000);
  if (++leaves % 20 != 0) return 0;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const std::string command =
      "gdb -nx -batch -p " + std::to_string(getpid()) + " -ex bt";
  if (std::system(command.c_str()) != 0) std::puts("gdb failed");
  return 1;
}

// Returns how many leaves have looked.
int grow(int depth) {
  if (depth == 0) return look();
  const auto child = magpie::spawn([depth] { return grow(depth - 1); });
  const int looks = grow(depth - 1);
  return looks + child.join();
}

}  // namespace

int main(int argc, char** argv) {
  return magpie::run(argc, argv, [] {
    for (int looks = 0; looks < 9;) looks += grow(6);
  });
}
