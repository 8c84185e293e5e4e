// Ranks that rest, asleep in the kernel, and others that wake them.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "common/rma/outside.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"

namespace magpie::rma {
namespace {

shm::Bell& bell_of(int rank) {
  return shm::job.control->bells[static_cast<size_t>(rank)];
}

// Calls futex(), not with a private word, since processes share it. Returns 0,
// or -1 with errno.
long futex(std::atomic<uint32_t>* word, int what, uint32_t value,
           const timespec* until) {
  return syscall(SYS_futex, word, what, value, until, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

// Time of rma::now()'s clock after so many nanoseconds, or the latest there is.
timespec later_by(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000, kLatest = INT64_MAX;
  const uint64_t time = now();
  const uint64_t end = time + std::min(nanoseconds, kLatest - time);
  return {.tv_sec = static_cast<time_t>(end / kSecond),
          .tv_nsec = static_cast<long>(end % kSecond)};
}

}  // namespace

// The kernel compares once more when it lets the rank sleep, so a wake in
// between is seen. It may also return without a wake, hence the loop.
void rest(uint64_t nanoseconds) {
  internal::require_run("rma::rest");
  const ActivityScope scope(*self().status, Activity::kRest);
  shm::Bell& bell = bell_of(rank());
  const timespec until = later_by(nanoseconds);
  bell.rests.store(true);
  bool is_over = false;
  while (!is_over && bell.wakes.load() == bell.seen) {
    is_over = futex(&bell.wakes, FUTEX_WAIT_BITSET, bell.seen, &until) != 0 &&
              errno == ETIMEDOUT;
  }
  bell.rests.store(false);
  bell.seen = bell.wakes.load();
}

void backend::wake(int rank) {
  internal::require_run("rma::wake");
  shm::Bell& bell = bell_of(rank);
  bell.wakes.fetch_add(1);
  if (bell.rests.load()) futex(&bell.wakes, FUTEX_WAKE, 1, nullptr);
}

}  // namespace magpie::rma
