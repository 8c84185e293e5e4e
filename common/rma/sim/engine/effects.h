// Changes of the memories of ranks: by operations of ranks on each other, and
// by stores to their own words (engine.h) when these leave the rank's store
// buffer, where --memory says that they pass through it.
//
// Thread safety: one thread. Invariants:
//   1. An operation that has been sent has one kOp on the agenda, whose time is
//      among its target's Arrivals, until it has taken effect; or it waits for
//      its target to attend.
//   2. A node's adapter and either side of a target's interface take operations
//      in the order in which these come, each when the one before is done.
//   3. What an operation finds and changes is what others see of the target,
//      without what is in its store buffer.
//   4. Under exploration transfers of several words take effect in parts,
//      atomics read and write at two times, and what is copied is copied
//      twice. Between these an aligned word is whole, and no other atomic comes
//      to that target.
//   5. A store that others do not see yet has one kStore on the agenda, whose
//      order is its ticket. A store that a fence has let out earlier still has
//      its kStore, which then does nothing.
//   6. Words outside the heap, which nobody else can reach, are plain memory.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_EFFECTS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_EFFECTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/engine/agenda.h"
#include "common/rma/sim/engine/log.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/topology.h"
#include "common/rma/sim/options.h"

namespace magpie::rma::sim {

// State that all parts of one simulation work on.
struct World {
  World(const Options& options, const SegmentLayout& layout, std::FILE* out);

  Rank& rank(int r) { return ranks[static_cast<size_t>(r)]; }
  // Words that name the seed, to be printed after a failure's.
  std::string hint() const;

  // Make others see all of the rank's stores and plain writes; or the store
  // with that ticket, unless they see it already.
  void let_all_out(Rank& rank, Time now) {
    rank.stores.let_plain_writes_out();
    while (!rank.stores.empty())
      log.seen(now, rank.self.rank, rank.stores.let_out_oldest());
  }
  void let_out(Rank& rank, uint64_t ticket, Time now) {
    if (const std::optional<uint64_t> value = rank.stores.let_out(ticket))
      log.seen(now, rank.self.rank, *value);
  }

  const Options options;
  HugePages huge_pages;
  Memory memory;
  std::pmr::vector<Rank> ranks;
  Chance chance;
  Log log;
  Agenda agenda;
};

// Operations: their way, the interface at its end, what they do there, and the
// way back.
class Transport {
 public:
  explicit Transport(World* world);

  OpPool& pool() { return pool_; }
  uint64_t sent() const { return sent_; }

  // Returns an operation, to be completed by its kind's members and sent.
  // Prints an error and ends the job when there is no such target.
  Op* prepare(OpKind kind, int initiator, int target, uint64_t offset,
              size_t bytes);

  // Sends the operation, which leaves its initiator at `time`.
  void send(Op* op, Time time);

  // Moves the operation on, where it has waited for something busy, and maybe
  // makes it arrive; or makes its next part take effect.
  void happen(uint32_t index, Time now);

  // Makes the rank serve atomics from `time` on, waiting ones first, where the
  // machine leaves that to ranks. Returns the time when the first of these
  // takes effect, or kNever.
  Time attend(Rank& rank, Time time);
  // Makes the rank compute again. Returns the time from which it can: it first
  // ends what it has begun to serve.
  Time compute(Rank& rank);

  // Fetch the operation that is to happen soon, and what it touches.
  void fetch_op(uint32_t index) { fetch(&pool_[index], sizeof(Op)); }
  void touch_target(uint32_t index);

 private:
  const Network& net() const { return world_.options.net; }
  Time way(const Op& op) { return world_.chance.latency(op.latency); }
  Service service(OpKind kind, bool same_node) const;
  Time pass_stop(Op& op, Time now);
  void come(Op& op, Time time);
  void arrive(Op& op, Time now);
  void take_effect(Op& op, Time now);
  // Ends the rank's rest, if it rests.
  void end_rest(Rank& rank, Time now);
  Time ready_at(Op& op, Time now);
  Time served_at(Op& op, Time now);
  Time begin_to_serve(Rank& target, Op& op, Time time);
  Time explore_atomic(Op& op, Time now);
  Time explore_transfer(Op& op, Time now);
  Time write_before(Op& op, Time now);
  void apply(Op& op);
  std::byte* find(const Op& op);
  [[noreturn]] void refuse(const Op& op, const char* what, const Rank& whose);

  // Devices that the ranks of a node share, and when each is free again.
  struct Node {
    Time adapter_free = 0;
    Time atomics_free = 0;
    Adapter adapter = {};
  };
  Node& node(int n) { return nodes_[static_cast<size_t>(n + 1)]; }

  World& world_;
  const Hops hops_;
  // Nodes from kNoNode on, whose adapter takes no time.
  std::vector<Node> nodes_;
  // Services between nodes, and within one.
  std::array<std::array<Service, std::size(kOpKindNames)>, 2> services_;
  OpPool pool_;
  uint64_t sent_ = 0;
  // Whether operations may take effect later than at their turn, or in parts.
  const bool has_steps_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_EFFECTS_H_
