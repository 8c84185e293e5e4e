// Time on real networks, where ranks are processes.

#include <time.h>

#include "common/rma/rma.h"

namespace magpie::rma {

uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(t.tv_nsec);
}

void compute(uint64_t nanoseconds) {
  for (const uint64_t end = now() + nanoseconds; now() < end;) {
  }
}

}  // namespace magpie::rma
