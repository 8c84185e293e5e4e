#include "bench/programs/uts_tree.h"

#include <cstdint>

#include "bench/uts/sample_trees.h"
#include "bench/uts/sha1.h"

namespace magpie::bench {
namespace {

const char* sha_name(uts::Sha1Kernel kernel) {
  return uts::resolve_sha1(kernel) == uts::Sha1Kernel::kNi ? "ni" : "portable";
}

// The right count of a sample tree or, by a loop, of a small one; `count` for
// others. Cost: linear in the nodes.
uts::Count known_count(const uts::Params& params, const uts::Count& count) {
  constexpr uint64_t kQuick = 1'000'000;
  if (const uts::SampleTree* sample = uts::sample_tree_of(params))
    return sample->known_beside(count);
  if (count.nodes > kQuick) return count;
  return uts::count_sequential(uts::make_tree(params), uts::root_of(params));
}

}  // namespace

uts::Params default_tree() { return uts::find_sample_tree("T1")->params; }

Fields describe_tree(const uts::Params& params) {
  Fields fields;
  if (const uts::SampleTree* sample = uts::sample_tree_of(params)) {
    fields.emplace_back("tree", sample->name);
  } else {
    fields.emplace_back("tree_type", static_cast<int>(params.type));
    fields.emplace_back("shape", static_cast<int>(params.shape));
    fields.emplace_back("depth", params.depth);
    fields.emplace_back("branching", params.branching);
    fields.emplace_back("root_seed", params.seed);
    fields.emplace_back("nonleaf_probability", params.nonleaf_probability);
    fields.emplace_back("nonleaf_children", params.nonleaf_children);
    fields.emplace_back("shift_depth", params.shift_depth);
  }
  fields.emplace_back("sha", sha_name(params.sha));
  return fields;
}

Answer answer_of(const uts::Params& params, const uts::Count& count) {
  const uts::Count known = known_count(params, count);
  return {.result = {{"nodes", count.nodes},
                     {"max_depth", count.max_depth},
                     {"leaves", count.leaves}},
          .mismatch =
              unless(known == count, "the tree has ", known.nodes, " nodes, ",
                     known.leaves, " leaves and depth ", known.max_depth)};
}

}  // namespace magpie::bench
