// The trees of the Unbalanced Tree Search benchmark (UTS): Olivier, Huan, Liu,
// Prins, Dinan, Sadayappan, Tseng, "UTS: An Unbalanced Tree Search Benchmark",
// LCPC 2006. They are defined by SHA-1 and IEEE double arithmetic, node by
// node, so every traversal in any order finds exactly the same tree.
//
//   uts::Tree tree = uts::make_tree(params);  // once, outside the tasks
//   uts::Node root = uts::root_of(params);
//   int n = uts::num_children(tree, root);
//   for (int i = 0; i < n; ++i) visit(uts::child_of(tree, root, i));
//
// `Tree` and `Node` are small values without pointers: capture them in tasks.
// All functions here are pure and thread-safe.

#ifndef MAGPIE_BENCH_UTS_TREE_H_
#define MAGPIE_BENCH_UTS_TREE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bench/uts/sha1.h"

namespace magpie::uts {

// -t. Numbered as on the benchmark's command line.
enum class TreeType : uint8_t {
  kBinomial = 0,   // m children with probability q, else none; the root has b
  kGeometric = 1,  // geometrically distributed around a mean set by GeoShape
  kHybrid = 2,     // geometric near the root, binomial below
  kBalanced = 3,   // exactly b children down to the depth limit
};

// -a: the expected number of children of a geometric node at height h > 0,
// with b and d from Params. At the root it is always b.
enum class GeoShape : uint8_t {
  kLinear = 0,  // b (1 - h/d)
  kExpDec = 1,  // b h^(-log b / log d): never ends sharply, thins out
  kCyclic = 2,  // b^sin(2 pi h/d) for h <= 5d, then 0
  kFixed = 3,   // b for h < d, then 0
};

// No node has more children, except the root of a binomial tree and the nodes
// of balanced trees.
inline constexpr int kMaxChildren = 100;

// A tree as the user describes it. The defaults are the benchmark's own. Hybrid
// trees are geometric above the height shift_depth * depth.
struct Params {
  TreeType type = TreeType::kGeometric;    // -t
  GeoShape shape = GeoShape::kLinear;      // -a
  int32_t depth = 6;                       // -d, >= 1: the d of GeoShape
  double branching = 4.0;                  // -b, 0 .. 1e9: mean, or exact
  int32_t seed = 0;                        // -r
  double nonleaf_probability = 15.0 / 64;  // -q, 0 .. 1
  int32_t nonleaf_children = 4;            // -m, 0 .. kMaxChildren
  double shift_depth = 0.5;                // -f, 0 .. 1: a share of depth
  Sha1Kernel sha = Sha1Kernel::kAuto;      // --sha
};

// The same tree in the form the hot path wants: derived numbers in, printable
// ones out. Opaque; made by make_tree.
struct Tree {
  TreeType type;
  GeoShape shape;
  // Never kAuto.
  Sha1Kernel sha;
  int32_t depth;
  // The geometric rule holds for heights below it.
  int32_t geometric_heights;
  int32_t nonleaf_children;
  // A binomial node has children if its random number is below it.
  uint32_t nonleaf_below;
  double branching;
  // The Level of a node whose mean is `branching`.
  double log_continue;
};
static_assert(sizeof(Tree) == 40 && std::is_trivially_copyable_v<Tree>);

struct Node {
  Sha1State state;
  // The root's is 0.
  int32_t height;
};
static_assert(sizeof(Node) == 24 && std::is_trivially_copyable_v<Node>);

// Values that all nodes of one height share. Siblings can be counted with one
// Level: that saves a logarithm (linear shape) or a power and a sine (cyclic) a
// node.
struct Level {
  // The logarithm of the probability to have one more child.
  double log_continue;
};

// Settles kAuto, for the machine that it runs on (see resolve_sha1).
// REQUIRES: validate(params) (flags.h) is empty.
Tree make_tree(const Params& params);

// The root of the tree that `params` describe.
inline Node root_of(const Params& params) {
  return {sha1_root(params.seed), 0};
}

namespace internal {

// The log_continue of a geometric node whose mean number of children is `mean`,
// and of one at height `height` > 0. Both out of line, because a compiler that
// contracted their operations into fused ones would change trees: tree.cc is
// compiled with contraction off.
double log_continue(double mean);
double log_continue_at(const Tree& tree, int height);

inline constexpr double kNoChildren = -std::numeric_limits<double>::infinity();

// The node's own random number, 0 .. 2^31 - 1.
inline uint32_t random_number(const Node& node) {
  return node.state[4] & 0x7FFFFFFF;
}

inline int binomial_children(const Tree& tree, const Node& node) {
  return random_number(node) < tree.nonleaf_below ? tree.nonleaf_children : 0;
}

// Inverts the cumulative distribution, by the operations that define the
// benchmark's trees to the last bit. (log(1 - u) / -inf would be 0, too.)
inline int geometric_children(Level level, const Node& node) {
  if (level.log_continue == kNoChildren) return 0;
  const double u = random_number(node) / 2147483648.0;
  const double children = std::floor(std::log(1 - u) / level.log_continue);
  return static_cast<int>(std::min<double>(children, kMaxChildren));
}

inline Sha1State child_state(const Tree& tree, const Node& parent, int i) {
  const auto index = static_cast<uint32_t>(i);
  return tree.sha == Sha1Kernel::kPortable
             ? sha1_child_portable(parent.state, index)
             : sha1_child_ni(parent.state, index);
}

}  // namespace internal

// Child `i` of `parent`.
// REQUIRES: 0 <= i < num_children(tree, parent).
// Cost: a SHA-1 block.
inline Node child_of(const Tree& tree, const Node& parent, int i) {
  return {internal::child_state(tree, parent, i), parent.height + 1};
}

// Cost: a logarithm for linear, also a power and a sine for cyclic, a power
// and two logarithms for exponential shapes; nothing for all other trees.
inline Level level_at(const Tree& tree, int height) {
  if (height == 0) return {tree.log_continue};
  if (tree.shape == GeoShape::kFixed) {
    return {height < tree.depth ? tree.log_continue : internal::kNoChildren};
  }
  if (height >= tree.geometric_heights) return {internal::kNoChildren};
  return {internal::log_continue_at(tree, height)};
}

// The number of a node's children, where the level of its height is at hand.
// REQUIRES: level is level_at(tree, node.height).
// Cost: a comparison (binomial and balanced trees, and below the depth limit of
// fixed ones); else a logarithm and a division.
inline int num_children(const Tree& tree, Level level, const Node& node) {
  switch (tree.type) {
    case TreeType::kGeometric:
      return internal::geometric_children(level, node);
    case TreeType::kBinomial:
      return node.height == 0 ? static_cast<int>(tree.branching)
                              : internal::binomial_children(tree, node);
    case TreeType::kHybrid:
      return node.height < tree.geometric_heights
                 ? internal::geometric_children(level, node)
                 : internal::binomial_children(tree, node);
    case TreeType::kBalanced:
      return node.height < tree.depth ? static_cast<int>(tree.branching) : 0;
  }
  return 0;
}

// The same for a single node. Cost: also that of level_at.
inline int num_children(const Tree& tree, const Node& node) {
  return num_children(tree, level_at(tree, node.height), node);
}

// Some successive children of a node, not yet generated.
struct Siblings {
  Node parent;
  // The Level of the siblings' own height.
  Level level;
  int32_t first = 0, last = 0;

  bool empty() const { return first == last; }
  int32_t size() const { return last - first; }
};

// The first `count` children of a node.
inline Siblings children_of(const Tree& tree, const Node& node, int count) {
  return {node, count == 0 ? Level{} : level_at(tree, node.height + 1), 0,
          count};
}

// The counts that UTS takes of a tree.
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

// The sequential traversal that every parallel one is compared with: counts
// the subtree below and with `root`, depth first, with an explicit
// stack: trees like T3L are 17,844 levels deep. Memory: 40 bytes a level.
Count count_sequential(const Tree& tree, const Node& root);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_TREE_H_
