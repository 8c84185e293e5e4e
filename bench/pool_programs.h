// The main() of binaries with programs of task pools.

#ifndef MAGPIE_BENCH_POOL_PROGRAMS_H_
#define MAGPIE_BENCH_POOL_PROGRAMS_H_

#include <span>

#include "bench/driver.h"

namespace magpie::bench {

// Runs one of the programs that need only add and merge, so that any pool runs
// them, or one of `more`, on the linked pool: see drive().
int drive_pool(std::span<const Program> more, int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_POOL_PROGRAMS_H_
