// A binary with the programs of pools, but those of async_main.cc:
//
//   bazel run //bench:pool_sws -- uts --tree=T1 --ranks=2

#include "bench/pool_programs.h"

int main(int argc, char** argv) {
  return magpie::bench::drive_pool({}, argc, argv);
}
