#include "common/trace/recorder.h"

#include <algorithm>
#include <utility>

#include "common/rma/events.h"
#include "common/trace/scope.h"

namespace magpie::trace {
namespace internal {
namespace {

Recorder& recorder() { return *static_cast<Recorder*>(rma::self().recorder); }

}  // namespace

void record(Event event, uint64_t begin, uint64_t end, const About& about) {
  recorder().record(event, begin, end, about);
}
void record_stolen(uint64_t bytes) { recorder().record_stolen(bytes); }
void record_idle(bool is_idle) { recorder().record_idle(is_idle); }

}  // namespace internal

namespace {

// Returns the time that is 0 in the files. Ranks of rank 0's node share its
// clock, and take its time; other ranks take their own when they learn of it.
uint64_t common_zero() {
  uint64_t first = rma::now();
  rma::broadcast(&first, sizeof(first), 0);
  return rma::node_of(rma::rank()) == rma::node_of(0) ? first : rma::now();
}

}  // namespace

Recorder::Recorder(const Sizes& sizes)
    : sizes_(sizes),
      summary_(rma::allocate<Summary>(summaries(sizes))),
      records_(rma::allocate<Record>(sizes.events)),
      ring_({records_.local(), sizes.events}),
      busy_(sizes.bins),
      ready_joins_(sizes.bins),
      zero_(common_zero()) {}

size_t Recorder::heap_bytes(const Sizes& sizes) {
  return rma::allocated_bytes<Summary>(summaries(sizes)) +
         rma::allocated_bytes<Record>(sizes.events);
}

void Recorder::start() {
  if (!sizes_.any() && !rma::wants_events()) return;
  begin_ = turned_ = rma::now();
  rma::self().recorder = this;
}

void Recorder::stop() {
  if (!is_on()) return;
  record_idle(true);
  end_ = turned_;
  rma::self().recorder = nullptr;
}

void Recorder::record_idle(bool is_idle) {
  const uint64_t now = rma::now();
  record(is_idle ? Event::kBusy : Event::kIdle, turned_, now, {});
  turned_ = now;
}

// Leaves out the phases of failed attempts, which are many, and what took no
// time, unless it is counted.
void Recorder::record(Event event, uint64_t begin, uint64_t end,
                      const About& about) {
  if (rma::wants_events()) rma::tell_event(name_of(event), begin, end);
  if (!sizes_.any()) return;
  switch (event) {
    case Event::kSteal:
      push(event, begin, end,
           {.bytes = std::exchange(stolen_, 0), .rank = about.rank});
      break;
    case Event::kFailedSteal:
      while (!ring_.empty() && is_phase(ring_.newest().event) &&
             ring_.newest().begin >= begin)
        ring_.take_back();
      push(event, begin, end, about);
      break;
    case Event::kOutstandingJoin:
      push(event, begin, end, about);
      break;
    default:
      if (begin < end) push(event, begin, end, about);
  }
}

void Recorder::push(Event event, uint64_t begin, uint64_t end,
                    const About& about) {
  ring_.push({begin, end, about.bytes, about.rank, event});
  if (sizes_.bins == 0) return;
  const auto since_zero = [&](uint64_t time) {
    return std::max(time, zero_) - zero_;
  };
  if (event == Event::kBusy) busy_.add(since_zero(begin), since_zero(end));
  if (event == Event::kOutstandingJoin)
    ready_joins_.add(since_zero(begin), since_zero(end));
}

}  // namespace magpie::trace
