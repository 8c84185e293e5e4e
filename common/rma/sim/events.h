// What is to happen, in the order of (time, order): the simulation's agenda.

#ifndef MAGPIE_COMMON_RMA_SIM_EVENTS_H_
#define MAGPIE_COMMON_RMA_SIM_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/sim/time.h"

namespace magpie::rma::sim {

enum class EventKind : uint32_t {
  kResume,  // of the rank `index`
  kOp,      // the operation `index` arrives, or its turn has come
};

struct Event {
  Time time;
  uint64_t order;  // among events of one time: unique
  EventKind kind;
  uint32_t index;

  bool before(const Event& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

// A heap with four children a node, which takes half the levels of a binary
// one: with 100,000 ranks each level is a cache miss.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  const Event& first() const { return heap_[0]; }

  void push(const Event& event) {
    size_t hole = heap_.size();
    heap_.push_back(event);
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

  std::vector<Event> heap_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_EVENTS_H_
