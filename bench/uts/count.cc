#include "bench/uts/count.h"

#include <cstdint>
#include <vector>

namespace magpie::uts {
namespace {

// A node some of whose children are yet to visit. Leaves never become frames.
struct Frame {
  Node node;
  int32_t num_children;
  int32_t next;
  Level child_level;
};

}  // namespace

Count count_sequential(const Tree& tree, const Node& root) {
  Count count;
  std::vector<Frame> stack;
  auto visit = [&](const Node& node, int num_children) {
    count.merge(Count::of(node, num_children));
    if (num_children == 0) return;
    stack.push_back({node, num_children, 0, level_at(tree, node.height + 1)});
  };
  visit(root, num_children(tree, root));
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.num_children) {
      stack.pop_back();
      continue;
    }
    const Node child = child_of(tree, top.node, top.next++);
    visit(child, num_children(tree, top.child_level, child));
  }
  return count;
}

}  // namespace magpie::uts
