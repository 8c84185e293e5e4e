// One binary per pool and network, with all programs of task pools, those of
// async_main too if it is linked:
//
//   bazel run //bench:pool_sws -- uts --tree=T1 --ranks=2

#include "bench/any_program.h"
#include "common/task_pool/task_pool.h"

int main(int argc, char** argv) {
  return magpie::bench::drive(
      magpie::kPool.name,
      [](int argc, char** argv) { return magpie::run_pool(argc, argv, [] {}); },
      argc, argv);
}
