// The main() of binaries with programs of task pools.

#ifndef MAGPIE_BENCH_POOL_PROGRAMS_H_
#define MAGPIE_BENCH_POOL_PROGRAMS_H_

#include <span>

#include "bench/driver.h"

namespace magpie::bench {

// The programs that need only add and merge, so that any pool runs them.
std::span<const Program> pool_programs();

// Runs one of these programs on the linked pool: see drive().
int drive_pool(std::span<const Program> programs, int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_POOL_PROGRAMS_H_
