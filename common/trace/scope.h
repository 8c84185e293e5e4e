// The seam for measuring: a mechanism says when something begins, and which
// event it was when it ends. What is done with that is up to this package.
//
//   trace::Scope scope;                                  // always measured
//   rma::get(to, from, bytes);
//   scope.end(trace::Event::kTaskCopy, total_ns, {.bytes = bytes});
//
//   trace::Phase phase;                                  // only with --trace
//   lock(word);
//   phase.end(trace::Event::kLock);
//
// Thread safety: each object belongs to the rank that made it, and ends there.

#ifndef MAGPIE_COMMON_TRACE_SCOPE_H_
#define MAGPIE_COMMON_TRACE_SCOPE_H_

#include <algorithm>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/trace/event.h"

namespace magpie::trace {

namespace internal {
// Hand these to the calling rank's recorder. REQUIRES: is_on().
void record(Event event, uint64_t begin, uint64_t end, const About& about);
void record_stolen(uint64_t bytes);
void record_idle(bool is_idle);
}  // namespace internal

// Whether the calling rank records what it does.
inline bool is_on() { return rma::self().recorder != nullptr; }

// A stretch of the calling rank's time. It begins with the construction; each
// end() begins the next stretch. Cost: a look at the clock at the beginning and
// at each end.
class Scope {
 public:
  Scope() : begin_(rma::now()) {}

  // Says that it began at `time` or later, by another rank's clock.
  void begins_no_sooner(uint64_t time) { begin_ = std::max(begin_, time); }

  // Ends the stretch: its time, in nanoseconds, was spent on `event` and is
  // added to `total_ns`. It is at least 0, though clocks of nodes may differ.
  void end(Event event, uint64_t& total_ns, const About& about = {}) {
    const uint64_t now = rma::now();
    const uint64_t begin = std::min(begin_, now);
    total_ns += now - begin;
    begin_ = now;
    if (is_on()) [[unlikely]]
      internal::record(event, begin, now, about);
  }

 private:
  uint64_t begin_;
};

// A part of a larger stretch, measured only with a trace. Cost: a predictable
// branch at the beginning and at each end; with a trace, as a Scope.
class Phase {
 public:
  Phase() { restart(); }

  // Begins the next part now.
  void restart() {
    if (is_on()) [[unlikely]]
      begin_ = rma::now();
  }
  // Ends the part, and begins the next.
  void end(Event event, const About& about = {}) {
    if (is_on()) [[unlikely]] {
      const uint64_t now = rma::now();
      internal::record(event, begin_, now, about);
      begin_ = now;
    }
  }

 private:
  uint64_t begin_ = 0;
};

// While an Idle lives, the calling rank searches for work. Cost: a Phase's, and
// an ActivityScope's.
class Idle {
 public:
  Idle() { tell(true); }
  ~Idle() { tell(false); }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;

 private:
  static void tell(bool is_idle) {
    if (is_on()) [[unlikely]]
      internal::record_idle(is_idle);
  }

  const rma::ActivityScope activity_{*rma::self().status,
                                     rma::Activity::kSearch};
};

// Says that the attempt to steal that is under way takes so many bytes, which
// are added to `total`.
inline void stole(uint64_t bytes, uint64_t& total) {
  total += bytes;
  if (is_on()) [[unlikely]]
    internal::record_stolen(bytes);
}

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_SCOPE_H_
