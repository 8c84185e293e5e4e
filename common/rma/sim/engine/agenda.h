// What is to happen in the simulation, and when: events in the order of (time,
// order).
//
// Thread safety: one thread. Invariants:
//   1. No two events have the same order.
//   2. On the agenda, events of one time come in the order in which they were
//      scheduled, or, under exploration, in a random one.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
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

// The events of 100,000 ranks, in their order: a calendar queue (Brown, CACM
// 31(10), 1988), whose days keep their length.
//
// In one heap of so many events, each level is a cache miss. So only today's
// events are in order, in a heap; those of the next days, up to a year, are on
// a list for each day; later ones are in a heap of their own. Tomorrow's list
// also tells what to prepare for (Turns::look_ahead). With few events all of
// them are today's.
//
// Invariants:
//   1. An event before the end of today is in today_, one within a year on its
//      day's list, another in later_.
//   2. today_ is empty only where all is.
class Calendar {
 public:
  // For about `events` events in each `span`; if that is wrong, only the speed
  // suffers.
  Calendar(size_t events, Time span,
           std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : today_(memory), later_(memory) {
    if (events < kFew) return;
    const Time day = span / (events / kEventsOfADay);
    day_bits_ = day == 0 ? 0 : std::bit_width(day) - 1;
    days_.resize(std::bit_ceil(kSpansOfAYear * events / kEventsOfADay));
  }

  bool empty() const { return today_.empty(); }
  const Event& first() const { return today_.first(); }

  // [[unlikely]] for the sake of few events, which are all today's.
  [[gnu::always_inline]] void push(const Event& event) {
    if (day_of(event) > date_) [[unlikely]] {
      if (!empty()) return push_after_today(event);
      date_ = day_of(event);
    }
    today_.push(event);
  }

  Event pop() {
    const Event event = today_.pop();
    if (today_.empty() && after_today_ > 0) [[unlikely]]
      turn_the_page();
    return event;
  }

  // The number of today.
  uint64_t date() const { return date_; }

  // The events of the day `n` days after today, in no order.
  std::span<const Event> after(size_t n) const {
    return n < days_.size() ? std::span<const Event>(list(date_ + n))
                            : std::span<const Event>();
  }

 private:
  using EventList = std::vector<Event>;

  static constexpr size_t kFew = 1000, kEventsOfADay = 32, kSpansOfAYear = 8;

  uint64_t day_of(const Event& event) const { return event.time >> day_bits_; }
  EventList& list(uint64_t day) { return days_[day & (days_.size() - 1)]; }
  const EventList& list(uint64_t day) const {
    return days_[day & (days_.size() - 1)];
  }

  [[gnu::always_inline]] void push_after_today(const Event& event) {
    ++after_today_;
    if (within_a_year(event)) {
      put_on_list(event);
    } else {
      later_.push(event);
    }
  }

  [[gnu::always_inline]] void put_on_list(const Event& event) {
    list(day_of(event)).emplace_back() = event;
  }

  bool within_a_year(const Event& event) const {
    return day_of(event) - date_ < days_.size();
  }

  // Moves on to the next day that has events.
  [[gnu::noinline]] void turn_the_page() {
    const bool none_within_a_year = after_today_ == later_.size();
    if (none_within_a_year) date_ = day_of(later_.first()) - 1;
    while (today_.empty()) {
      ++date_;
      while (!later_.empty() && within_a_year(later_.first()))
        put_on_list(later_.pop());
      begin_day(list(date_));
    }
  }

  void begin_day(EventList& events) {
    if (events.empty()) return;
    for (const Event& event : events) today_.push(event);
    after_today_ -= events.size();
    events.clear();
  }

  EventHeap today_;
  // The lists of a year, whose number of days is a power of two: day d's is at
  // d modulo that.
  std::vector<EventList> days_ = std::vector<EventList>(1);
  EventHeap later_;
  // Number of events on lists and in later_.
  size_t after_today_ = 0;
  uint64_t date_ = 0;
  // A day has 2^day_bits_ picoseconds.
  int day_bits_ = std::numeric_limits<Time>::digits - 1;
};

class Agenda {
 public:
  // Each of `ranks` ranks has about one event in each `span`.
  Agenda(Chance* chance, size_t ranks, Time span,
         std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : chance_(*chance), calendar_(ranks, span, memory) {}

  // Returns the event's order.
  [[gnu::noinline]] uint64_t schedule(Time time, EventKind kind,
                                      uint32_t index) {
    const uint64_t order = chance_.order(++scheduled_);
    calendar_.push({time, order, kind, index});
    return order;
  }
  void resume(int rank, Time time) {
    schedule(time, EventKind::kResume, static_cast<uint32_t>(rank));
  }

  bool empty() const { return calendar_.empty(); }
  const Event& first() const { return calendar_.first(); }
  Event pop() { return calendar_.pop(); }

  uint64_t date() const { return calendar_.date(); }
  std::span<const Event> after(size_t days) const {
    return calendar_.after(days);
  }

 private:
  Chance& chance_;
  Calendar calendar_;
  uint64_t scheduled_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_
