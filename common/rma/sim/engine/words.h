// A rank's own words: what rma::Word does under the simulator. Stores pass
// through the rank's store buffer where --memory says so.
//
// Thread safety: one thread. Invariants:
//   1. A store that others do not see yet has one kStore on the agenda, whose
//      order is its ticket. One that a fence has let out earlier has it, too:
//      then nothing is left to happen.
//   2. Words outside the heap, which nobody else can reach, are plain memory.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_WORDS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_WORDS_H_

#include <cstdint>
#include <string>

#include "common/rma/rma.h"
#include "common/rma/sim/engine/events.h"
#include "common/rma/sim/engine/log.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/exploration/store_buffer.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Words {
 public:
  Words(MemoryModel model, const Memory& memory, Chance* chance, Agenda* agenda,
        Log* log)
      : model_(model),
        memory_(memory),
        chance_(*chance),
        agenda_(*agenda),
        log_(*log) {}

  // At the rank's clock, when all that comes before has happened.
  uint64_t load(const Rank& rank, const uint64_t* word);
  void store(Rank& rank, uint64_t* word, uint64_t value, StoreOrder order);
  void fence(Rank& rank, Time now) {
    log_.detail(rank.clock, rank.self.rank, "fence");
    let_all_out(rank, now);
  }

  // Others see all of its stores.
  void let_all_out(Rank& rank, Time now);
  // Others see one of them, if they do not yet.
  void let_out(Rank& rank, uint64_t ticket, Time now);

 private:
  bool in_heap(const Rank& rank, const void* address) const;
  std::string name_of(const Rank& rank, const void* address) const;

  const MemoryModel model_;
  const Memory& memory_;
  Chance& chance_;
  Agenda& agenda_;
  Log& log_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_WORDS_H_
