#include "bench/uts/tree.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bench/uts/sha1.h"

namespace magpie::uts {
namespace {

// Pi with the digits that the original benchmark writes.
constexpr double kPi = 3.141592653589793;

int32_t geometric_heights(const Params& p) {
  if (p.type == TreeType::kGeometric)
    return std::numeric_limits<int32_t>::max();
  if (p.type != TreeType::kHybrid) return 0;
  // Heights below a limit that may be no integer.
  return static_cast<int32_t>(std::ceil(p.shift_depth * p.depth));
}

// The expected number of children at height > 0: the benchmark's shape
// functions, operation by operation.
double mean_children(const Tree& tree, int height) {
  const double b = tree.branching, h = height, d = tree.depth;
  switch (tree.shape) {
    case GeoShape::kLinear:
      return b * (1.0 - h / d);
    case GeoShape::kExpDec:
      return b * std::pow(h, -std::log(b) / std::log(d));
    case GeoShape::kCyclic:
      if (h > 5 * d) return 0;
      return std::pow(b, std::sin(2.0 * kPi * h / d));
    case GeoShape::kFixed:
      return h < d ? b : 0;
  }
  return 0;
}

}  // namespace

Tree make_tree(const Params& p) {
  // Random / 2^31 < q is Random < q 2^31, as scaling by 2^31 is exact.
  const double nonleaf_below = std::ceil(p.nonleaf_probability * 2147483648.0);
  return {.type = p.type,
          .shape = p.shape,
          .sha = resolve_sha1(p.sha),
          .depth = p.depth,
          .geometric_heights = geometric_heights(p),
          .nonleaf_children = p.nonleaf_children,
          .nonleaf_below = static_cast<uint32_t>(nonleaf_below),
          .branching = p.branching,
          .log_continue = internal::log_continue(p.branching)};
}

Count count_sequential(const Tree& tree, const Node& root) {
  Count count;
  std::vector<Siblings> stack;
  const auto visit = [&](const Node& node, int children) {
    count.merge(Count::of(node, children));
    if (children > 0) stack.push_back(children_of(tree, node, children));
  };
  visit(root, num_children(tree, root));
  while (!stack.empty()) {
    Siblings& top = stack.back();
    if (top.empty()) {
      stack.pop_back();
      continue;
    }
    const Node child = child_of(tree, top.parent, top.first++);
    visit(child, num_children(tree, top.level, child));
  }
  return count;
}

namespace internal {

// The geometric distribution with mean m stops with p = 1 / (1 + m).
double log_continue(double mean) {
  const double p = 1.0 / (1.0 + mean);
  return std::log(1 - p);
}

double log_continue_at(const Tree& tree, int height) {
  return log_continue(mean_children(tree, height));
}

}  // namespace internal
}  // namespace magpie::uts
