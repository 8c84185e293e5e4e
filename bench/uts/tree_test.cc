// The tree definition, compared with a second, naive one, and the rules that
// the sample trees do not reach.

#include "bench/uts/tree.h"

#include <cmath>
#include <cstdint>
#include <random>

#include "gtest/gtest.h"

namespace magpie::uts {
namespace {

// The number of children as the benchmark's documentation words it: nothing
// precomputed, probabilities compared as doubles, the cap last.
int naive_children(const Params& p, const Node& node) {
  const double u = (node.state[4] & 0x7FFFFFFF) / 2147483648.0;
  const bool binomial =
      p.type == TreeType::kBinomial ||
      (p.type == TreeType::kHybrid && !(node.height < p.shift_depth * p.depth));
  if (p.type == TreeType::kBalanced) {
    return node.height < p.depth ? static_cast<int>(p.branching) : 0;
  }
  if (p.type == TreeType::kBinomial && node.height == 0) {
    return static_cast<int>(std::floor(p.branching));
  }
  if (binomial) return u < p.nonleaf_probability ? p.nonleaf_children : 0;
  const double b = p.branching, h = node.height, d = p.depth;
  double mean = b;
  if (node.height > 0) {
    switch (p.shape) {
      case GeoShape::kLinear:
        mean = b * (1.0 - h / d);
        break;
      case GeoShape::kExpDec:
        mean = b * std::pow(h, -std::log(b) / std::log(d));
        break;
      case GeoShape::kCyclic:
        mean = std::pow(b, std::sin(2.0 * 3.141592653589793 * h / d));
        if (h > 5 * d) mean = 0;
        break;
      case GeoShape::kFixed:
        mean = h < d ? b : 0;
        break;
    }
  }
  const double stop = 1.0 / (1.0 + mean);
  const double n = std::floor(std::log(1 - u) / std::log(1 - stop));
  return n > 100 ? 100 : static_cast<int>(n);
}

void expect_definition(const Params& params, int max_height) {
  const Tree tree = make_tree(params);
  std::mt19937 random(4);
  for (int height = 0; height <= max_height; ++height) {
    for (int i = 0; i < 300; ++i) {
      Node node = {{}, height};
      node.state[4] = i == 0 ? 0 : i == 1 ? 0xFFFFFFFF : random();
      const int expected = naive_children(params, node);
      ASSERT_EQ(num_children(tree, node), expected) << "height " << height;
      ASSERT_EQ(num_children(tree, level_at(tree, height), node), expected);
    }
  }
}

TEST(Tree, GeometricShapesFollowTheDefinition) {
  for (GeoShape shape : {GeoShape::kLinear, GeoShape::kExpDec,
                         GeoShape::kCyclic, GeoShape::kFixed}) {
    for (double b : {1.5, 4.0, 6.0, 500.0}) {
      SCOPED_TRACE(testing::Message()
                   << "shape " << static_cast<int>(shape) << " b " << b);
      const Params params = {.shape = shape, .depth = 7, .branching = b};
      // Linear means are negative below the limit, where no node can be.
      expect_definition(params, shape == GeoShape::kLinear ? 7 : 40);
    }
  }
}

// u < q must turn at the same random number as the comparison of integers.
TEST(Tree, BinomialThresholdIsExact) {
  for (double q : {0.124875, 0.25, 0.4999999995, 1.0 / 3, 1.0}) {
    const Params params = {.type = TreeType::kBinomial,
                           .nonleaf_probability = q};
    const Tree tree = make_tree(params);
    const auto near = static_cast<uint32_t>(q * 2147483648.0);
    for (uint32_t r = near - 2; r <= near + 2; ++r) {
      const Node node = {{0, 0, 0, 0, r}, 1};
      EXPECT_EQ(num_children(tree, node), naive_children(params, node)) << r;
    }
  }
}

TEST(Tree, HybridTurnsBinomialAtTheShiftDepth) {
  for (double shift : {0.0, 0.3, 0.5, 1.0}) {
    for (GeoShape shape :
         {GeoShape::kLinear, GeoShape::kCyclic, GeoShape::kFixed}) {
      expect_definition({.type = TreeType::kHybrid,
                         .shape = shape,
                         .depth = 7,
                         .branching = 6,
                         .shift_depth = shift},
                        20);
    }
  }
}

TEST(Tree, BalancedTreeIsFull) {
  const Params params = {
      .type = TreeType::kBalanced, .depth = 5, .branching = 3};
  EXPECT_EQ(count_sequential(make_tree(params), root_of(params)),
            (Count{1 + 3 + 9 + 27 + 81 + 243, 243, 5}));
}

}  // namespace
}  // namespace magpie::uts
