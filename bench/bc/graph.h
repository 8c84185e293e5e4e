// A directed graph in compressed rows.

#ifndef MAGPIE_BENCH_BC_GRAPH_H_
#define MAGPIE_BENCH_BC_GRAPH_H_

#include <cstdint>
#include <span>

namespace magpie::bc {

// A view. The edges of vertex v lead to targets[rows[v]], ...,
// targets[rows[v + 1] - 1]; two of them may lead to the same vertex, and one to
// v itself.
struct Graph {
  std::span<const uint32_t> rows;
  std::span<const uint32_t> targets;

  uint32_t vertices() const { return static_cast<uint32_t>(rows.size() - 1); }
  std::span<const uint32_t> targets_of(uint32_t v) const {
    return targets.subspan(rows[v], rows[v + 1] - rows[v]);
  }
};

}  // namespace magpie::bc

#endif  // MAGPIE_BENCH_BC_GRAPH_H_
