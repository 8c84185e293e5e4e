// Brings what soon has its turn into the processor's caches.
//
// With 100,000 ranks nothing of a rank is cached when its turn comes: it would
// wait for a dozen lines of memory, and for walks through page tables before
// that, one after the other. So whenever a day of the agenda begins
// (calendar.h), tomorrow's events are looked at, all at once, so that their
// waits overlap. With few ranks there is no tomorrow, and this does nothing: it
// would gain nothing.
//
// Only the speed depends on it.
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

  // Called after each pop of the agenda.
  void popped() {
    if (world_.agenda.date() != date_) [[unlikely]]
      look();
  }

 private:
  // First bytes of a Rank, which say where all else is.
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
