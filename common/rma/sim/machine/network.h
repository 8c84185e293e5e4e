// The times of a simulated machine: of its network and its processors.
//
// An operation takes the time that README.md draws, and takes effect when its
// service begins; it waits where it finds something busy, as README.md says of
// the keys of --net. All ranks of a node may have one server of atomics, or the
// target itself serves them, between its tasks. A byte adds the path's
// `per_byte` to an operation's own time: more than anything is busy for, where
// software adds to it.
//
// A rank's access to a Word of its own takes kWordTime: next to nothing, but
// the clock must not stop in a loop that only looks at one.
//
// Presets are in presets.cc, with the source of each figure.
//
// Thread safety: immutable.

#ifndef MAGPIE_COMMON_RMA_SIM_MACHINE_NETWORK_H_
#define MAGPIE_COMMON_RMA_SIM_MACHINE_NETWORK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/rma/rma.h"
#include "common/rma/sim/machine/time.h"
#include "common/rma/sim/machine/topology.h"

namespace magpie::rma::sim {

inline constexpr Time kWordTime = 100;

struct Path {
  // Time of one way.
  Time latency = 0;
  // Time that each byte adds to an operation's own.
  Time per_byte = 0;
};

// Times of serving one kind of operation at the target.
struct Interface {
  // From one operation to the next.
  Time gap = 0;
  // Time that serving adds to each operation's own.
  Time service = 0;
};

// The server of atomics that come through an adapter: the adapter, the target
// itself wherever it polls or waits, or a thread that assists it (jip16 6.2).
enum class FetchAdd : uint8_t { kNative, kPoll, kThread };

// Times of a node's adapter, which its ranks share.
struct Adapter {
  // From one message to the next.
  Time message = 0;
  // Time of a byte on all of its links together.
  Time per_byte = 0;
};

struct Network {
  std::string name;
  std::string summary;
  // Ranks on a node.
  int node_size = 1;
  Time overhead = 0;
  // The path's latency is the mean over all pairs of `measured_nodes` nodes,
  // or, where that is 0, the latency without hops.
  Path between_nodes;
  int measured_nodes = 0;
  Topology topology = {};
  Time hop = 0;
  Path within_node;
  // A rank's interface.
  Interface gets;
  Interface puts;
  Interface atomics;
  FetchAdd fetch_add = FetchAdd::kNative;
  // Time of a poll at a spawn, where targets serve atomics; what it finds comes
  // on top.
  Time poll = 0;
  // Whether puts of one word are atomic (rma.h), which is explored.
  bool writes_are_atomic = false;
  // Whether there is one server of `atomics` on a node, not on each rank.
  bool node_serves_atomics = false;
  // Atomics within a node, where processors do them; nothing: atomics take the
  // same way as between nodes, through the adapter.
  std::optional<Interface> node_atomics = Interface{};
  Adapter adapter;
  // Time of a byte on one link.
  Time link_per_byte = 0;
  // Time of one rma::idle().
  Time idle = 0;
  // Time of a unit of the rma::Cost of that name.
  std::map<std::string, Time, std::less<>> costs;

  int node_of(int rank) const { return rank / node_size; }
  // The unit cost of that name, or 0 where there is none.
  Time cost_of(absl::string_view name) const {
    const auto cost = costs.find(name);
    return cost == costs.end() ? 0 : cost->second;
  }

  // Latency between nodes without hops; at least a picosecond. The way through
  // the adapter to another rank of the node has no hops.
  Time latency_without_hops() const;

  // Least time in which an operation of a rank reaches another. Look-ahead
  // rests on it.
  Time shortest_way(int ranks) const;
};

// Presets, whose atomics are served by `fetch_add`, or as in the paper.
std::vector<Network> presets(std::optional<FetchAdd> fetch_add = std::nullopt);

// Parses "ito_a", or a preset with changes: "ito_a,latency=2us,node_size=1";
// "custom" is `ideal` with changes. Refuses other text with an error message
// (flags::refuse).
Network parse_network(absl::string_view text);

// Keys that parse_network takes, for help texts: also the names of all presets'
// costs, and of those that the program defines (rma::Cost).
std::string network_keys();

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_MACHINE_NETWORK_H_
