// Betweenness centrality by Brandes' algorithm (Journal of Mathematical
// Sociology 25, 2001), a source at a time: of a vertex, the sum over all pairs
// of others of the share of shortest paths between them that lead over it.

#ifndef MAGPIE_BENCH_BC_BRANDES_H_
#define MAGPIE_BENCH_BC_BRANDES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bench/bc/graph.h"

namespace magpie::bc {

// Memory: 32 bytes a vertex.
class Brandes {
 public:
  explicit Brandes(const Graph& graph);

  // Adds to each vertex's sum what paths from `source` have on it. Returns how
  // many edges it went along, those of both passes.
  uint64_t add_source(uint32_t source);

  std::span<const double> sums() const { return sums_; }

 private:
  // Goes over all that can be reached, and counts shortest paths.
  uint64_t search(uint32_t source);
  // Goes back, the farthest first, and puts all back as it was.
  void accumulate(uint32_t source);

  const Graph graph_;
  std::vector<double> sums_;
  // Of each vertex: how far it is; the number of shortest paths to it; what
  // depends on it. And those that were reached, the nearest first.
  std::vector<uint32_t> distance_;
  std::vector<double> paths_, dependency_;
  std::vector<uint32_t> reached_;
};

// Of all sources.
std::vector<double> betweenness(const Graph& graph);

// The sum over all vertices, in another way: each pair of vertices adds how
// many there are between them, which is their distance less 1.
uint64_t sum_of_betweenness(const Graph& graph);

// The first vertex whose two values are more than a 10^9th apart, which is more
// than rounding makes of another order of sources; where there is none, how
// many there are.
uint32_t first_difference(std::span<const double> a, std::span<const double> b);

}  // namespace magpie::bc

#endif  // MAGPIE_BENCH_BC_BRANDES_H_
