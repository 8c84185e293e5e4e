// What soon has its turn is brought into the processor's caches.
//
// Of 100,000 ranks nothing is there when their turn comes: each would wait for
// a dozen lines of memory, and for walks through page tables before that, one
// after the other. So what rises on the agenda is looked at before it is the
// first, several at a time, so that their waits are one. With up to a thousand
// events this does nothing: there it would gain nothing.
//
// Nothing depends on it but the speed.
//
// Thread safety: one thread.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_

#include <array>
#include <cstddef>

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
    if (world_.agenda.is_long()) [[unlikely]]
      look();
  }

 private:
  // Some dozens of events before the first, and some hundreds.
  static constexpr size_t kNear = 3, kFar = 4;
  static constexpr size_t kAtOnce = 8;
  // Of a Rank: where all else is.
  static constexpr size_t kFirstLines = 128;

  void look();
  void touch_page_of(const Event& event);
  void fetch_lines_of(const Event& event);
  void fetch_first_lines_of(const Event& event);
  const Rank& rank_of(const Event& event) { return world_.ranks[event.index]; }

  World& world_;
  Transport& transport_;
  std::array<Event, kAtOnce> near_;
  std::array<Event, kAtOnce> far_;
  size_t seen_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_AHEAD_H_
