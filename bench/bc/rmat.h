// R-MAT: random graphs some of whose vertices have very many edges
// (Chakrabarti, Zhan and Faloutsos, SDM 2004). The matrix of a graph is divided
// into quarters again and again, and an edge falls into one of them each time,
// with the probabilities of the benchmark BC in X10's GLB samples:
//
//     0.55 | 0.1
//     -----+-----
//     0.1  | 0.25
//
// An edge is computed from its number alone, so that it costs no memory, and
// all ranks have the same edges. Parallel edges and loops stay, as in X10's.

#ifndef MAGPIE_BENCH_BC_RMAT_H_
#define MAGPIE_BENCH_BC_RMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace magpie::bc {

struct Edge {
  uint32_t from, to;
};

inline constexpr int kMostScale = 24, kMostEdgesPerVertex = 64;

// REQUIRES: 1 <= scale <= kMostScale, 1 <= edges_per_vertex <=
// kMostEdgesPerVertex.
struct Rmat {
  int32_t scale;
  int32_t edges_per_vertex;
  uint64_t seed;

  uint32_t vertices() const { return uint32_t{1} << scale; }
  size_t edges() const {
    return size_t{vertices()} * static_cast<size_t>(edges_per_vertex);
  }
  // The edge with this number, from 0.
  Edge edge(uint64_t number) const;

  // Writes the graph. REQUIRES: there is room for vertices() + 1 rows and
  // edges() targets. Cost: each edge is computed twice.
  void fill(std::span<uint32_t> rows, std::span<uint32_t> targets) const;
};

}  // namespace magpie::bc

#endif  // MAGPIE_BENCH_BC_RMAT_H_
