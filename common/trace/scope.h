// The seam for measuring: a mechanism says when something begins and what it
// was when it ends. What is done with that is up to this package.

#ifndef MAGPIE_COMMON_TRACE_SCOPE_H_
#define MAGPIE_COMMON_TRACE_SCOPE_H_

#include <algorithm>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie::trace {

// What a rank's time goes to, beside its tasks.
enum class Event : uint8_t {
  // An attempt to steal that took something.
  kSteal,
  // An attempt that took nothing, or a pause between two.
  kSearch,
  // A thief copies what it has stolen: frames, or a closure.
  kTaskCopy,
  // Both sides of a join that had to suspend have arrived, and the joining
  // thread does not run yet (cluster22 §V-B).
  kOutstandingJoin,
};

// A stretch of the calling rank's time. It begins when it is made; each end is
// the beginning of the next. Belongs to one rank. Cost: a look at the clock at
// the beginning and at each end.
class Scope {
 public:
  Scope() : begin_(rma::now()) {}

  // It began at `time` or later, as another rank's clock tells.
  void begins_no_sooner(uint64_t time) { begin_ = std::max(begin_, time); }

  // Ends it: its time, in nanoseconds, went to `event` and is added to
  // `total_ns`. Clocks of different nodes may differ: it is at least 0.
  void end(Event, uint64_t& total_ns) {
    const uint64_t now = rma::now();
    total_ns += now - std::min(begin_, now);
    begin_ = now;
  }

 private:
  uint64_t begin_;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_SCOPE_H_
