// Betweenness centrality by Brandes' algorithm (Journal of Mathematical
// Sociology 25, 2001), a source at a time. A vertex's betweenness is the sum,
// over all pairs of other vertices, of the share of shortest paths between them
// that lead over it.

#ifndef MAGPIE_BENCH_BC_BRANDES_H_
#define MAGPIE_BENCH_BC_BRANDES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace magpie::bc {

// A view of a directed graph in compressed rows. The edges of vertex v lead to
// targets[rows[v]], ..., targets[rows[v + 1] - 1]; two of them may lead to the
// same vertex, and one to v itself.
struct Graph {
  std::span<const uint32_t> rows;
  std::span<const uint32_t> targets;

  uint32_t vertices() const { return static_cast<uint32_t>(rows.size() - 1); }
  std::span<const uint32_t> targets_of(uint32_t v) const {
    return targets.subspan(rows[v], rows[v + 1] - rows[v]);
  }
};

// Memory: 32 bytes a vertex.
class Brandes {
 public:
  explicit Brandes(const Graph& graph);

  // Adds to each vertex's sum the share of paths from `source`. Returns the
  // number of edges that it followed in both passes.
  uint64_t add_source(uint32_t source);

  std::span<const double> sums() const { return sums_; }

 private:
  // Goes over all vertices that can be reached, and counts shortest paths.
  uint64_t search(uint32_t source);
  // Goes back, the farthest vertex first, and clears the arrays.
  void accumulate(uint32_t source);

  const Graph graph_;
  std::vector<double> sums_;
  // For each vertex: its distance; the number of shortest paths to it; its
  // dependency. And the vertices that were reached, the nearest first.
  std::vector<uint32_t> distance_;
  std::vector<double> paths_, dependency_;
  std::vector<uint32_t> reached_;
};

// The sums after all sources.
std::vector<double> betweenness(const Graph& graph);

// The first vertex whose two values differ by more than a 10^9th, which is more
// than rounding in another order of sources causes; the number of vertices
// where there is none.
uint32_t first_difference(std::span<const double> a, std::span<const double> b);

}  // namespace magpie::bc

#endif  // MAGPIE_BENCH_BC_BRANDES_H_
