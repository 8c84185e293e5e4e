// The time that a unit of each kind of work takes on a simulated machine: the
// table in which rma::charge looks. For presets.cc.

#ifndef MAGPIE_COMMON_RMA_SIM_MACHINE_COST_TABLE_H_
#define MAGPIE_COMMON_RMA_SIM_MACHINE_COST_TABLE_H_

#include <vector>

#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

// Figures that no paper prints. A search node of TSP [assumed]: the time of a
// node of UTS times the ratio of their instructions, as callgrind counts them
// with SHA-1 in portable code: 280 (tsp --cities=20, seeds 1 and 2: 7.6 million
// more for 27,198 nodes more) of 2,665. An edge of BC [assumed]: it has few
// instructions, and waits for a vertex in the second cache.
inline Time search_node(Time node) { return node * 280 / 2665; }
inline constexpr Time kEdge = 4 * kNanosecond;

inline std::vector<UnitCost> cost_table(Time spawn, Time join,
                                        Time context_switch, Time task_stack,
                                        Time copy_byte, Time node,
                                        Time element) {
  return {{"spawn", spawn},
          {"join", join},
          {"context_switch", context_switch},
          {"task_stack", task_stack},
          {"copy_byte", copy_byte},
          {"uts_node", node},
          {"lcs_element", element},
          {"bc_edge", kEdge},
          {"tsp_node", search_node(node)}};
}

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_MACHINE_COST_TABLE_H_
