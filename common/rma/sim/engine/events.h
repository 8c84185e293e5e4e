// Events that are to happen, in the order of (time, order).
//
// Thread safety: one thread. Invariant: no two events have the same order.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

enum class EventKind : uint32_t {
  // The rank `index` goes on.
  kResume,
  // The operation `index` arrives, or its turn has come.
  kOp,
  // Others see a store of the rank `index`; `order` is its ticket.
  kStore,
  // The rank `index` goes on, where it still rests and may not rest for longer.
  kRest,
};

struct Event {
  Time time;
  // Position among events of the same time: unique.
  uint64_t order;
  EventKind kind;
  uint32_t index;

  bool before(const Event& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

// A heap with four children per node: half the levels of a binary heap.
class EventHeap {
 public:
  explicit EventHeap(
      std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : heap_(memory) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  const Event& first() const { return heap_[0]; }

  // Inlined, as are its callers, so that an event passes in registers.
  [[gnu::always_inline]] void push(const Event& event) {
    size_t hole = heap_.size();
    heap_.emplace_back();
    while (hole > 0) {
      const size_t parent = (hole - 1) / 4;
      if (!event.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  Event pop() {
    const Event first = heap_[0];
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  // Places `event`, beginning with a hole at the top.
  void sink(const Event& event) {
    size_t hole = 0;
    while (true) {
      const size_t child = 4 * hole + 1;
      if (child >= heap_.size()) break;
      size_t least = child;
      for (size_t c = child + 1; c < child + 4 && c < heap_.size(); ++c) {
        if (heap_[c].before(heap_[least])) least = c;
      }
      if (!heap_[least].before(event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::pmr::vector<Event> heap_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_
