#include "bench/uts/sample_trees.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace magpie::uts {
namespace {

constexpr Params geometric(GeoShape shape, int32_t depth, double branching,
                           int32_t seed) {
  return {.type = TreeType::kGeometric,
          .shape = shape,
          .depth = depth,
          .branching = branching,
          .seed = seed};
}

constexpr Params binomial(double branching, double q, int32_t m, int32_t seed) {
  return {.type = TreeType::kBinomial,
          .branching = branching,
          .seed = seed,
          .nonleaf_probability = q,
          .nonleaf_children = m};
}

constexpr Params kT4 = {.type = TreeType::kHybrid,
                        .shape = GeoShape::kLinear,
                        .depth = 16,
                        .branching = 6,
                        .seed = 1,
                        .nonleaf_probability = 0.234375,
                        .nonleaf_children = 4};

using enum GeoShape;
constexpr auto kUnknown = std::nullopt;

// Name, parameters, nodes, maximum depth, leaves.
constexpr std::array<SampleTree, 15> kSampleTrees = {{
    {"T1", geometric(kFixed, 10, 4, 19), 4'130'071, 10, 3'305'118},
    {"T2", geometric(kCyclic, 16, 6, 502), 4'117'769, 81, 2'342'762},
    {"T3", binomial(2000, 0.124875, 8, 42), 4'112'897, 1572, 3'599'034},
    {"T4", kT4, 4'132'453, 134, 3'108'986},
    {"T5", geometric(kLinear, 20, 4, 34), 4'147'582, 20, 2'181'318},
    {"T1L", geometric(kFixed, 13, 4, 29), 102'181'082, 13, 81'746'377},
    {"T2L", geometric(kCyclic, 23, 7, 220), 96'793'510, 67, 53'791'152},
    {"T3L", binomial(2000, 0.200014, 5, 7), 111'345'631, 17844, 89'076'904},
    {"T1XL", geometric(kFixed, 15, 4, 29), 1'635'119'272, 15, 1'308'100'063},
    {"T1XXL", geometric(kFixed, 15, 4, 19), 4'230'646'601, 15, kUnknown},
    {"T2XXL", binomial(2000, 0.499999995, 2, 0), 10'612'052'303, 216370,
     5'306'027'151},
    {"T3XXL", binomial(2000, 0.499995, 2, 316), 2'793'220'501, kUnknown,
     kUnknown},
    {"T1WL", geometric(kFixed, 18, 4, 19), 270'751'679'750, 18,
     216'601'257'283},
    {"T2WL", binomial(2000, 0.4999999995, 2, 559), 295'393'891'003, 1021239,
     147'696'946'501},
    {"T3WL", binomial(2000, 0.4999995, 2, 559), 157'063'495'159, 758577,
     78'531'748'579},
}};

bool same_tree(const Params& x, const Params& y) {
  if (x.type != y.type || x.seed != y.seed || x.branching != y.branching) {
    return false;
  }
  const bool binomial = x.nonleaf_probability == y.nonleaf_probability &&
                        x.nonleaf_children == y.nonleaf_children;
  const bool geometric = x.shape == y.shape && x.depth == y.depth;
  switch (x.type) {
    case TreeType::kBinomial:
      return binomial;
    case TreeType::kGeometric:
      return geometric;
    case TreeType::kHybrid:
      return binomial && geometric && x.shift_depth == y.shift_depth;
    case TreeType::kBalanced:
      return x.depth == y.depth;
  }
  return false;
}

}  // namespace

std::span<const SampleTree> sample_trees() { return kSampleTrees; }

const SampleTree* find_sample_tree(std::string_view name) {
  for (const SampleTree& sample : kSampleTrees) {
    if (sample.name == name) return &sample;
  }
  return nullptr;
}

const SampleTree* sample_tree_of(const Params& params) {
  for (const SampleTree& sample : kSampleTrees) {
    if (same_tree(sample.params, params)) return &sample;
  }
  return nullptr;
}

}  // namespace magpie::uts
