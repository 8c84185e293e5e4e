#include "common/rma/real_time.h"

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

void internal::nap(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const timespec time = {.tv_sec = static_cast<time_t>(nanoseconds / kSecond),
                         .tv_nsec = static_cast<long>(nanoseconds % kSecond)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace magpie::rma
