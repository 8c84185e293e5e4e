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
    if (size_ == places_.size()) {
      ++dropped_;
      if (places_.empty()) return;
    } else {
      ++size_;
    }
    newest_ = after(newest_);
    places_[newest_] = record;
  }

  // REQUIRES, for both: !empty().
  const Record& newest() const { return places_[newest_]; }
  void take_back() {
    newest_ = (newest_ + places_.size() - 1) % places_.size();
    --size_;
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Number of records that were dropped.
  uint64_t dropped() const { return dropped_; }
  // The place of the oldest record; the others follow, and the first place
  // comes after the last. REQUIRES: !empty().
  size_t oldest() const {
    return (newest_ + places_.size() + 1 - size_) % places_.size();
  }

 private:
  size_t after(size_t place) const { return (place + 1) % places_.size(); }

  std::span<Record> places_;
  size_t newest_ = 0;
  size_t size_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_RING_H_
