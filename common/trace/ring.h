// The last events of a rank, as many as there are places.

#ifndef MAGPIE_COMMON_TRACE_RING_H_
#define MAGPIE_COMMON_TRACE_RING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/trace/event.h"

namespace magpie::trace {

struct Record {
  // Times by the rank's clock.
  uint64_t begin;
  uint64_t end;
  uint64_t bytes;
  int32_t rank;
  Event event;
};
static_assert(sizeof(Record) == 32);

class Ring {
 public:
  // Uses memory of the caller, which outlives the ring.
  explicit Ring(std::span<Record> places) : places_(places) {}

  // Adds a record; where no place is left, drops the oldest.
  void push(const Record& record) {
    if (size() == places_.size()) ++begin_;
    if (!places_.empty()) places_[end_ % places_.size()] = record;
    ++end_;
  }

  // REQUIRES, for both: !empty().
  const Record& newest() const { return places_[(end_ - 1) % places_.size()]; }
  void take_back() { --end_; }

  bool empty() const { return begin_ == end_; }
  size_t size() const { return end_ - begin_; }
  // Number of records that were dropped.
  uint64_t dropped() const { return begin_; }
  // The place of the oldest record; the others follow, and the first place
  // comes after the last. REQUIRES: !empty().
  size_t oldest() const { return begin_ % places_.size(); }

 private:
  std::span<Record> places_;
  // Numbers of the oldest record and of the next.
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_RING_H_
