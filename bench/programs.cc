// One binary per runtime and network, with all programs of fork and join:
//
//   bazel run //bench:cont_greedy -- uts --tree=T1 --ranks=2

#include "bench/any_program.h"
#include "common/fork_join/fork_join.h"

int main(int argc, char** argv) {
  return magpie::bench::drive(
      magpie::kRuntime.name,
      [](int argc, char** argv) { return magpie::run(argc, argv, [] {}); },
      argc, argv);
}
