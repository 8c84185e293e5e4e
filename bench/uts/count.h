// The counts that UTS takes of a tree, and the sequential traversal that every
// parallel one is compared with.

#ifndef MAGPIE_BENCH_UTS_COUNT_H_
#define MAGPIE_BENCH_UTS_COUNT_H_

#include <algorithm>
#include <cstdint>

#include "bench/uts/tree.h"

namespace magpie::uts {

struct Count {
  uint64_t nodes = 0;
  uint64_t leaves = 0;
  // The root's depth is 0.
  uint64_t max_depth = 0;

  // The count of one node alone.
  static Count of(const Node& node, int num_children) {
    return {1, num_children == 0 ? 1u : 0u, static_cast<uint64_t>(node.height)};
  }

  // Makes this the count of its own part of a tree and another one. Commutative
  // and associative, with Count{} as neutral element.
  void merge(const Count& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    max_depth = std::max(max_depth, other.max_depth);
  }

  friend bool operator==(const Count&, const Count&) = default;
};

// Counts the subtree below and with `root`, depth first, with an explicit
// stack: trees like T3L are 17,844 levels deep. Memory: 48 bytes a level.
Count count_sequential(const Tree& tree, const Node& root);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_COUNT_H_
