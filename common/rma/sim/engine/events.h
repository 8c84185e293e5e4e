// What is to happen, in the order of (time, order): the simulation's agenda.
//
// Thread safety: one thread. Invariants:
//   1. No two events on an agenda have the same order.
//   2. Events of one time come as they were scheduled, or as chance has it.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

enum class EventKind : uint32_t {
  // The rank `index` goes on.
  kResume,
  // The operation `index` arrives, or its turn has come.
  kOp,
  // Others see a store of the rank `index`; `order` is its ticket.
  kStore,
};

struct Event {
  Time time;
  // Among events of one time: unique.
  uint64_t order;
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
  explicit EventQueue(
      std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : heap_(memory) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  const Event& first() const { return heap_[0]; }

  // More than a thousand events, on more than six levels.
  bool is_long() const { return heap_.size() > kLong; }

  // What a pop, mostly the last, has let rise to that level below the first, up
  // to the fourth: nothing comes to be the first without having passed the
  // levels in between, but for what is pushed later. REQUIRES: is_long(), since
  // that pop.
  const Event& risen_to(size_t level) const { return heap_[risen_[level]]; }

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
    if (is_long()) [[unlikely]] {
      sink_and_remember(last);
    } else if (!heap_.empty()) {
      sink(last, [](size_t) {});
    }
    return first;
  }

 private:
  static constexpr size_t kLevels = 5, kLong = 1 + 4 + 16 + 64 + 256 + 1024;

  // Apart, so that short queues have a short loop.
  [[gnu::noinline]] void sink_and_remember(const Event& event) {
    size_t level = 0;
    sink(event, [&](size_t hole) {
      if (level < kLevels) risen_[level++] = hole;
    });
  }

  // Places `event`, beginning with a hole at the top; filled(place) is called
  // for each, from the top.
  template <typename Filled>
  [[gnu::always_inline]] void sink(const Event& event, Filled filled) {
    size_t hole = 0;
    while (true) {
      filled(hole);
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
  // Where the last sink has left what, one place a level.
  std::array<size_t, kLevels> risen_ = {};
};

// Events, and the order of simultaneous ones.
class Agenda {
 public:
  explicit Agenda(Chance* chance, std::pmr::memory_resource* memory =
                                      std::pmr::get_default_resource())
      : chance_(*chance), events_(memory) {}

  // Returns the event's order.
  uint64_t schedule(Time time, EventKind kind, uint32_t index) {
    const uint64_t order = chance_.order(++scheduled_);
    events_.push({time, order, kind, index});
    return order;
  }
  void resume(int rank, Time time) {
    schedule(time, EventKind::kResume, static_cast<uint32_t>(rank));
  }

  bool empty() const { return events_.empty(); }
  const Event& first() const { return events_.first(); }
  bool is_long() const { return events_.is_long(); }
  const Event& risen_to(size_t level) const { return events_.risen_to(level); }
  Event pop() { return events_.pop(); }

 private:
  Chance& chance_;
  EventQueue events_;
  uint64_t scheduled_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_EVENTS_H_
