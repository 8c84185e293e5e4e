// Events that are to happen in the simulation, in the order of (time, order).
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
#include <functional>
#include <limits>
#include <memory_resource>
#include <queue>
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

  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
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
class Agenda {
 public:
  // Each of `ranks` ranks has about one event in each `span`; if that is wrong,
  // only the speed suffers.
  Agenda(Chance* chance, size_t ranks, Time span,
         std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : chance_(*chance),
        today_({}, Events(memory)),
        later_({}, Events(memory)) {
    if (ranks < kFew) return;
    const Time day = span / (ranks / kEventsOfADay);
    day_bits_ = day == 0 ? 0 : std::bit_width(day) - 1;
    days_.resize(std::bit_ceil(kSpansOfAYear * ranks / kEventsOfADay));
  }

  // Returns the event's order.
  [[gnu::noinline]] uint64_t schedule(Time time, EventKind kind,
                                      uint32_t index) {
    const uint64_t order = chance_.order(++scheduled_);
    push({time, order, kind, index});
    return order;
  }
  void resume(int rank, Time time) {
    schedule(time, EventKind::kResume, static_cast<uint32_t>(rank));
  }

  bool empty() const { return today_.empty(); }
  const Event& first() const { return today_.top(); }
  Event pop() {
    const Event event = today_.top();
    today_.pop();
    if (today_.empty() && after_today_ > 0) [[unlikely]]
      turn_the_page();
    return event;
  }

  // The number of today.
  uint64_t date() const { return date_; }
  // The events of the day `n` days after today, in no order.
  std::span<const Event> after(size_t n) const {
    if (n >= days_.size()) return {};
    return days_[(date_ + n) & (days_.size() - 1)];
  }

 private:
  using Events = std::pmr::vector<Event>;
  using EventHeap = std::priority_queue<Event, Events, std::greater<>>;
  using EventList = std::vector<Event>;

  static constexpr size_t kFew = 1000, kEventsOfADay = 32, kSpansOfAYear = 8;

  uint64_t day_of(const Event& event) const { return event.time >> day_bits_; }
  EventList& list(uint64_t day) { return days_[day & (days_.size() - 1)]; }
  bool within_a_year(const Event& event) const {
    return day_of(event) - date_ < days_.size();
  }

  // Inlined, so that an event passes in registers; [[unlikely]] for the sake of
  // few events, which are all today's.
  [[gnu::always_inline]] void push(const Event& event) {
    if (day_of(event) > date_) [[unlikely]] {
      if (!empty()) return push_after_today(event);
      date_ = day_of(event);
    }
    today_.push(event);
  }

  void push_after_today(const Event& event) {
    ++after_today_;
    if (within_a_year(event)) {
      list(day_of(event)).push_back(event);
    } else {
      later_.push(event);
    }
  }

  // Moves on to the next day that has events.
  [[gnu::noinline]] void turn_the_page() {
    const bool none_within_a_year = after_today_ == later_.size();
    if (none_within_a_year) date_ = day_of(later_.top()) - 1;
    while (today_.empty()) {
      ++date_;
      for (; !later_.empty() && within_a_year(later_.top()); later_.pop())
        list(day_of(later_.top())).push_back(later_.top());
      EventList& events = list(date_);
      for (const Event& event : events) today_.push(event);
      after_today_ -= events.size();
      events.clear();
    }
  }

  Chance& chance_;
  uint64_t scheduled_ = 0;
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

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_
