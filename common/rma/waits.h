// Classes by which a runtime and a network say where a rank waits, and what it
// has counted. pulse.h keeps it.

#ifndef MAGPIE_COMMON_RMA_WAITS_H_
#define MAGPIE_COMMON_RMA_WAITS_H_

#include <sched.h>

#include <cstdint>

#include "common/rma/pulse.h"
#include "common/rma/rma.h"

namespace magpie::rma {

// While a Waits lives, the calling rank is at a place where it waits for
// others. They nest. Cost: three stores to the rank's own memory.
class Waits {
 public:
  explicit Waits(Pulse::At at) : before_(self().pulse.at) {
    Pulse::tell(self().pulse.at, at);
  }
  ~Waits() { Pulse::tell(self().pulse.at, before_); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  // Says that the wait has begun, or is about to end, at `time` of now().
  static void is_now(uint64_t time) { Pulse::tell(self().pulse.since, time); }

 private:
  const uint64_t before_;
};

// While an InCollective lives, the calling rank is in a collective. Cost: two
// looks at the clock.
class InCollective {
 public:
  InCollective() { Waits::is_now(now()); }
  ~InCollective() {
    Pulse& pulse = self().pulse;
    Pulse::tell(pulse.collectives, pulse.collectives + 1);
    Waits::is_now(now());
  }
  InCollective(const InCollective&) = delete;
  InCollective& operator=(const InCollective&) = delete;

 private:
  const Waits waits_{Pulse::kCollective};
};

// While a Tallied lives, `tally` tells what the calling rank's runtime has
// counted. It may be called at any moment, by another thread or by a signal
// handler: it reads numbers, and does nothing else. REQUIRES: they do not nest.
class Tallied {
 public:
  Tallied(const void* runtime, TaskTally (*tally)(const void* runtime)) {
    set(runtime, tally);
  }
  ~Tallied() { set(nullptr, nullptr); }
  Tallied(const Tallied&) = delete;
  Tallied& operator=(const Tallied&) = delete;

 private:
  static void set(const void* runtime, TaskTally (*tally)(const void*)) {
    Pulse& pulse = self().pulse;
    while (!pulse.try_lock_tally()) sched_yield();
    pulse.runtime = runtime;
    pulse.tally = tally;
    pulse.unlock_tally();
  }
};

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_WAITS_H_
