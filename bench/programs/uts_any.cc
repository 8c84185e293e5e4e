// uts_any: UTS as X10's GLB counts it, in tasks of many nodes
// (hybrid_glb_apgas18 §5). A task holds ranges of children that are not
// generated yet. It goes through up to --nodes of their descendants, depth
// first. One half of what is then left becomes a new task, and the rest
// another.
//
// The rest is added, too, instead of being continued at once: so after each
// --nodes nodes the rank takes its mail and answers the places that want work.
// It is added last, and so is the next to run here, while thieves take the
// half. A rest that does not fit into one task is added as several.
//
// Each range is halved, as in GLB: both halves have children of nodes near the
// root and of nodes far below it, so that both are likely to be large.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/pool_program.h"
#include "bench/programs/uts_tree.h"
#include "bench/uts/flags.h"
#include "bench/uts/tree.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// Children low, ..., high - 1 of a node.
struct Children {
  uts::Node parent;
  int32_t low, high;
};

// As many ranges as fit into 192 bytes; those at the end may be empty.
struct Subtrees {
  std::array<Children, 6> ranges;
  void operator()() const;
};
static_assert(sizeof(Subtrees) == kMaxTaskBytes);

struct CountTree {
  uts::Tree tree;
  uts::Node root;
  int64_t nodes_of_task;

  void operator()() const {
    const int children = uts::num_children(tree, root);
    merge(uts::Count::of(root, children));
    rma::charge(kNode);
    if (children > 0) add(Subtrees{{Children{root, 0, children}}});
  }
};

// Ranges that are left, none of them empty, the range of the deepest nodes
// last.
class Stack {
 public:
  Stack(const uts::Tree& tree, std::span<const Children> ranges) : tree_(tree) {
    for (const Children& range : ranges) {
      if (range.low < range.high) push(range);
    }
  }

  // Goes through nodes depth first, `most` of them at most.
  uts::Count run(int64_t most) {
    uts::Count count;
    for (int64_t i = 0; i < most && !ranges_.empty(); ++i) {
      uts::Siblings& top = ranges_.back();
      const uts::Node child = uts::child_of(tree_, top.parent, top.first++);
      const int children = uts::num_children(tree_, top.level, child);
      if (top.empty()) ranges_.pop_back();
      if (children > 0) push({child, 0, children});
      count.merge(uts::Count::of(child, children));
    }
    return count;
  }

  // Takes half of each range. The first range with an odd number of children
  // keeps the odd one, the second such range gives it away, and so on.
  std::vector<Children> take_half() {
    std::vector<Children> half;
    std::vector<uts::Siblings> kept;
    bool gives = false;
    for (uts::Siblings& range : ranges_) {
      const int32_t odd = range.size() % 2;
      const int32_t given = range.size() / 2 + (gives ? odd : 0);
      if (odd == 1) gives = !gives;
      if (given > 0)
        half.push_back({range.parent, range.last - given, range.last});
      range.last -= given;
      if (!range.empty()) kept.push_back(range);
    }
    ranges_ = kept;
    return half;
  }

  std::vector<Children> take_all() {
    std::vector<Children> all;
    for (const uts::Siblings& range : ranges_)
      all.push_back({range.parent, range.first, range.last});
    ranges_.clear();
    return all;
  }

 private:
  void push(const Children& range) {
    ranges_.push_back({range.parent,
                       uts::level_at(tree_, range.parent.height + 1), range.low,
                       range.high});
  }

  const uts::Tree& tree_;
  std::vector<uts::Siblings> ranges_;
};

void add_all(std::span<const Children> ranges) {
  while (!ranges.empty()) {
    Subtrees task = {};
    const size_t n = std::min(ranges.size(), task.ranges.size());
    std::copy_n(ranges.begin(), n, task.ranges.begin());
    add(task);
    ranges = ranges.subspan(n);
  }
}

void Subtrees::operator()() const {
  const auto& root = pool_root<CountTree>();
  Stack stack(root.tree, ranges);
  const uts::Count count = stack.run(root.nodes_of_task);
  merge(count);
  rma::charge(kNode, count.nodes);
  add_all(stack.take_half());
  add_all(stack.take_all());
}

}  // namespace

int uts_any_main(CLI::App& app, int argc, char** argv) {
  uts::Params params = default_tree();
  uts::add_options(app, &params);
  int64_t nodes = 511;
  flags::add_integer(app, "--nodes", nodes,
                     "largest number of nodes that a task visits", 1,
                     1'000'000'000);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const CountTree root = {uts::make_tree(params), uts::root_of(params), nodes};
  Fields described = describe_tree(params);
  described.emplace_back("nodes", nodes);
  uts::Count count;
  return run_in_pool(arguments, described, root, &count,
                     [&] { return answer_of(params, count); });
}

const Program kProgram("uts_any",
                       "Unbalanced Tree Search by tasks of many nodes",
                       uts_any_main);

}  // namespace magpie::bench
