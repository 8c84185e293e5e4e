// The agenda: what is to happen in the simulation, and when.
//
// Thread safety: one thread. Invariant: events of one time come in the order in
// which they were scheduled, or, under exploration, in a random one.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_AGENDA_H_

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "common/rma/sim/engine/calendar.h"
#include "common/rma/sim/engine/events.h"
#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

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
