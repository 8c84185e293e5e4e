// A binary with all programs of pools, also those that use the constructs of
// async_any.h:
//
//   bazel run //bench:pool_serial -- pi --n=1000 --cancel_above=3

#include <vector>

#include "bench/async_programs.h"
#include "bench/pool_programs.h"

int main(int argc, char** argv) {
  using namespace magpie::bench;
  std::vector<Program> programs;
  for (const auto& part : {pool_programs(), async_programs()})
    programs.insert(programs.end(), part.begin(), part.end());
  return drive_pool(programs, argc, argv);
}
