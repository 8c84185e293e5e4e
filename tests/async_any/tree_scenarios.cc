// Trees of random shape, compared with a walk without tasks.

#include <algorithm>
#include <cstdint>

#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {
namespace {

struct Sum {
  uint64_t nodes = 0, numbers = 0;
  void merge(const Sum& other) {
    nodes += other.nodes;
    numbers += other.numbers;
  }
};

// A node, whose number determines its children, as long as size is left.
struct Node {
  uint64_t number;
  int64_t size;

  // Calls f with each child; sizes of children and this node add up to size.
  template <typename F>
  void for_each_child(F f) const {
    uint64_t random = scrambled(number);
    for (int64_t left = size - 1; left > 0;) {
      random = scrambled(random + 1);
      // Chains, bushes, and what is between.
      const int64_t most = random % 4 == 0 ? left : (left + 3) / 4;
      const auto part = std::min<int64_t>(
          1 + static_cast<int64_t>((random >> 8) % static_cast<uint64_t>(most)),
          left);
      f(Node{random, part});
      left -= part;
    }
  }
};

void walk(const Node& node, Sum* sum) {
  sum->merge({1, node.number});
  node.for_each_child([sum](const Node& child) { walk(child, sum); });
}

enum class How : uint8_t { kAsync, kAtPlaces, kCancelable, kMixed };

// Visits a node in a task, and adds others for its children in some way.
struct Visit {
  Node node;
  How how;

  void operator()() const {
    merge_async_any(Sum{1, node.number});
    node.for_each_child([this](const Node& child) { add_child(child); });
  }
  void add_child(const Node& child) const {
    const Visit visit{child, how};
    const auto place = static_cast<int>(child.number >> 33) % places();
    switch (how == How::kMixed ? static_cast<How>(child.number >> 20 & 3)
                               : how) {
      case How::kAsync:
        return async_any(visit);
      case How::kAtPlaces:
        return static_async_any(place, {visit});
      case How::kCancelable:
        return expect_equal("added", cancelable_async_any(visit), true);
      case How::kMixed:
        return expect_equal("added",
                            cancelable_static_async_any(place, {visit}), true);
    }
  }
};

// Nobody cancels, so it makes no difference how tasks are added.
template <How kHow>
void visit_trees(const Parameters& p) {
  run_suite<Sum>(p, [](const Suite& suite) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const Node root{scrambled(seed), suite.n};
      finish_async_any([&] { async_any(Visit{root, kHow}); });
      Sum expected;
      walk(root, &expected);
      const Sum sum = reduce_async_any<Sum>();
      expect_equal("nodes", sum.nodes, expected.nodes);
      expect_equal("nodes there are", sum.nodes, suite.n);
      expect_equal("sum of their numbers", sum.numbers, expected.numbers);
    }
  });
}
SCENARIO(trees) { visit_trees<How::kAsync>(p); }
SCENARIO(trees_at_places) { visit_trees<How::kAtPlaces>(p); }
SCENARIO(trees_mixed) { visit_trees<How::kMixed>(p); }

}  // namespace
}  // namespace magpie::pool_conformance
