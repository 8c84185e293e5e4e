// Distances between the nodes of a machine: the hops between two of them, each
// of which takes Network::hop.
//
//   none         There are no hops.
//   torus:8x8x4  Nodes stand in a box, with neighbours along each of its sides;
//                nodes at one end of a side are neighbours of those at the
//                other. A hop is a link between neighbours.
//   tofu:12x16x12
//                Fujitsu's six dimensions: units of 2 x 3 x 2 nodes, the 3 in
//                a ring, in a box of units. A job sees a box of nodes, each
//                side of which runs through units: there and back, so that
//                neighbours in the box have a link. A hop is a link.
//   tree:18      18 nodes share a switch, 18 of these switches share one of the
//                next level, and so on. A hop is a switch: 1, 3, 5, ...
//
// Without sides the box is near_cube(nodes). Nodes are placed in it in their
// order, the last side running fastest.
//
// Thread safety: immutable.

#ifndef MAGPIE_COMMON_RMA_SIM_MACHINE_TOPOLOGY_H_
#define MAGPIE_COMMON_RMA_SIM_MACHINE_TOPOLOGY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace magpie::rma::sim {

inline constexpr int kMaxSides = 6;
inline constexpr int kMaxSide = 1024;

struct Topology {
  enum class Kind : uint8_t { kNone, kTorus, kTofu, kTree };

  Kind kind = Kind::kNone;
  // Sides of a box; none: those of near_cube.
  std::vector<int> sides = {};
  // Nodes of a tree's switch, and switches of one of the next level.
  int arity = 0;

  // Greatest number of nodes.
  int64_t room() const;
};

// Parses "tree:18". Returns false where the text is none of the above, and
// leaves `topology` unchanged.
bool parse_topology(absl::string_view text, Topology* topology);
inline constexpr char kTopologies[] =
    "one of none, torus, torus:AxB... with up to 6 sides from 1 to 1024, tofu, "
    "tofu:AxBxC, tree:N with N from 2 to 1024";

// Returns three sides, the largest in the middle: of all boxes with room for so
// many nodes those with the smallest sum of sides, of these one with the least
// room. The published jobs on Wisteria-O had such boxes (cluster22's artifact):
// 3x4x3, 6x6x4, 8x9x8, 12x16x12.
std::vector<int> near_cube(int nodes);

// The hops between the nodes of one job.
class Hops {
 public:
  // REQUIRES: nodes <= topology.room().
  Hops(const Topology& topology, int nodes);

  // Hops between two nodes, both from 0 to nodes - 1.
  int between(int a, int b) const {
    if (arity_ > 0) return switches(a, b);
    return places_.empty() ? 0
                           : links(places_[static_cast<size_t>(a)],
                                   places_[static_cast<size_t>(b)]);
  }

  // Mean over all pairs of two nodes; 0 for a single node. Quadratic.
  double mean() const;

 private:
  using Place = std::array<uint16_t, kMaxSides>;

  int links(const Place& a, const Place& b) const;
  int switches(int a, int b) const;

  const int nodes_;
  const int arity_;
  // The links of each ring that is a side of the box.
  Place around_ = {};
  std::vector<Place> places_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_MACHINE_TOPOLOGY_H_
