// The sample trees that the UTS benchmark publishes, by name, with the answers
// known for them.

#ifndef MAGPIE_BENCH_UTS_SAMPLE_TREES_H_
#define MAGPIE_BENCH_UTS_SAMPLE_TREES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/uts/tree.h"

namespace magpie::uts {

struct SampleTree {
  const char* name;
  Params params;
  uint64_t nodes;
  // Empty where none is published.
  std::optional<uint64_t> max_depth;
  std::optional<uint64_t> leaves;

  // What is published; what is not, as in `count`.
  Count known_beside(const Count& count) const {
    return {nodes, leaves.value_or(count.leaves),
            max_depth.value_or(count.max_depth)};
  }
};

// All sample trees, from the smallest to the largest: four million nodes (T1 ..
// T5), a hundred million (L), billions (XL, XXL), hundreds of billions (WL).
std::span<const SampleTree> sample_trees();

// The sample tree of that name, or null.
const SampleTree* find_sample_tree(std::string_view name);

// The sample tree that `params` describe, however they came about, or null.
// Flags that cannot change the tree (--sha, those of other types) are ignored.
const SampleTree* sample_tree_of(const Params& params);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_SAMPLE_TREES_H_
