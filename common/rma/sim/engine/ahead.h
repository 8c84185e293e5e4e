// What soon has its turn is brought into the processor's caches.
//
// Of 100,000 ranks nothing is there when their turn comes: each would wait for
// a dozen lines of memory, and for walks through page tables before that, one
// after the other. So each time that a day of the agenda begins (calendar.h),
// tomorrow's events are looked at, all at once, so that their waits are one. Of
// few ranks there is no tomorrow, and this does nothing: it would gain nothing.
//
// Nothing depends on it but the speed.
//
// Thread safety: one thread.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/sim/engine/agenda.h"
#include "common/rma/sim/engine/effects.h"
#include "common/rma/sim/engine/events.h"
#include "common/rma/sim/engine/rank.h"

namespace magpie::rma::sim {

class Ahead {
 public:
  Ahead(World* world, Transport* transport)
      : world_(*world), transport_(*transport) {}

  // After each pop of the agenda.
  void popped() {
    if (world_.agenda.date() != date_) [[unlikely]]
      look();
  }

 private:
  // Of a Rank: where all else is.
  static constexpr size_t kFirstLines = 128;

  void look();
  void touch_page_of(const Event& event);
  void fetch_lines_of(const Event& event);
  void fetch_first_lines_of(const Event& event);
  const Rank& rank_of(const Event& event) { return world_.ranks[event.index]; }

  World& world_;
  Transport& transport_;
  uint64_t date_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_
