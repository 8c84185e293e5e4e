// Operations of ranks on each other: their way, the interface at its end, what
// they do there, and the way back.
//
// Thread safety: one thread. Invariants:
//   1. An operation that has been sent is on one list of its target's Arrivals
//      and has one kOp on the agenda, until it takes effect.
//   2. Each of a target's two interfaces takes operations in the order of their
//      arrival, a gap apart.
//   3. What an operation finds and changes is what others see of the target,
//      without what is in its store buffer.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_TRANSPORT_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/sim/engine/events.h"
#include "common/rma/sim/engine/log.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Transport {
 public:
  Transport(const Network& net, std::vector<Rank>* ranks, Memory* memory,
            Chance* chance, Agenda* agenda, Log* log)
      : net_(net),
        ranks_(*ranks),
        memory_(*memory),
        chance_(*chance),
        agenda_(*agenda),
        log_(*log) {}

  OpPool& pool() { return pool_; }
  uint64_t sent() const { return sent_; }

  // An operation to be completed by its kind's members and sent. Ends the job
  // in words when there is no such target.
  Op* prepare(OpKind kind, int initiator, int target, uint64_t offset,
              size_t bytes);

  // It leaves its initiator at `time`.
  void send(Op* op, Time time);

  // It arrives at the target, or is at last taken by the interface there.
  void happen(uint32_t index, Time now);

 private:
  Rank& rank(int r) { return ranks_[static_cast<size_t>(r)]; }
  Time way(const Op& op) { return chance_.latency(op.path->latency); }
  Interface interface_of(const Op& op) const;
  void arrive(Op& op, Time now);
  void take_effect(Op& op, Time now);
  void apply(Op& op);
  void read_source(Op& op);
  std::byte* bytes_at_target(const Op& op);
  [[noreturn]] void refuse(const Op& op, const char* whose,
                           const std::string& why);

  const Network& net_;
  std::vector<Rank>& ranks_;
  Memory& memory_;
  Chance& chance_;
  Agenda& agenda_;
  Log& log_;
  OpPool pool_;
  uint64_t sent_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_TRANSPORT_H_
