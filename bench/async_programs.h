// The programs of task pools that use the constructs of async_any.h.

#ifndef MAGPIE_BENCH_ASYNC_PROGRAMS_H_
#define MAGPIE_BENCH_ASYNC_PROGRAMS_H_

#include <span>

#include "bench/driver.h"

namespace magpie::bench {

std::span<const Program> async_programs();

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_ASYNC_PROGRAMS_H_
