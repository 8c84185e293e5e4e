// uts: counts the nodes of an Unbalanced Tree Search tree, by fork-join over
// subtrees (hpdc15 §6.1, cluster22 §V-C). The trees and their known sizes are
// in bench/uts. --fork says where a task is spawned:
//
// every_child, as in the papers: a task counts the subtrees of some siblings
// and divides them in halves, one of which becomes a task, until one sibling is
// left, whose children are the next siblings. So a task generates zero or two
// subtasks (hpdc15 §6.1), and there is a spawn for every leaf but one.
//
// inline_leaves: a task generates its siblings, a few at a time, and sets the
// first that has children aside. When it finds others, there are several pieces
// of work: what was set aside and all that was found but for the last become
// tasks, and the rest is the continuation. Only wide nodes are divided before
// any child is looked at. So leaves, which are most of the nodes, cost no
// spawn. It generates a few at a time, since a processor works on several
// hashes at once where none needs the result of another.
//
// In both, a chain of single children takes no stack.
//
// --fold: the subtree of a node of a certain height has the size of one that is
// drawn from kSample, by the node's hash.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/program.h"
#include "bench/programs/fold.h"
#include "bench/programs/uts_tree.h"
#include "bench/uts/flags.h"
#include "bench/uts/tree.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

using uts::Siblings;

// Takes the first half of the siblings away, and returns it.
Siblings split(Siblings* siblings) {
  Siblings half = *siblings;
  half.last = siblings->first = siblings->first + siblings->size() / 2;
  return half;
}

// Counts a node. Returns its children.
Siblings visit(const uts::Tree& tree, uts::Level level, const uts::Node& node,
               uts::Count* count) {
  const int children = uts::num_children(tree, level, node);
  count->merge(uts::Count::of(node, children));
  rma::charge(kNode);
  return uts::children_of(tree, node, children);
}

// Generates and counts the next sibling. Returns its children.
Siblings visit_next(const uts::Tree& tree, Siblings* siblings,
                    uts::Count* count) {
  return visit(tree, siblings->level,
               uts::child_of(tree, siblings->parent, siblings->first++), count);
}

// Pieces of work of one task: what was set aside, and what was found.
class Pieces {
 public:
  // Most pieces that are found at a time.
  static constexpr int32_t kFound = 4;

  explicit Pieces(const Siblings& aside) { add(aside); }

  void add(const Siblings& siblings) {
    if (!siblings.empty()) pieces_[size_++] = siblings;
  }
  // REQUIRES: size() > 0.
  Siblings take_last() { return pieces_[--size_]; }
  const Siblings& operator[](size_t i) const { return pieces_[i]; }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
  std::array<Siblings, kFound + 1> pieces_;
};

// Generates and counts the next few siblings. Adds their children to *pieces.
void visit_next(const uts::Tree& tree, Siblings* siblings, uts::Count* count,
                Pieces* pieces) {
  std::array<uts::Node, Pieces::kFound> nodes;
  const auto size =
      static_cast<size_t>(std::min(Pieces::kFound, siblings->size()));
  for (size_t i = 0; i < size; ++i) {
    // Made in place: a copy would wait until the node's words are stored.
    new (&nodes[i])
        uts::Node(uts::child_of(tree, siblings->parent, siblings->first++));
  }
  for (size_t i = 0; i < size; ++i)
    pieces->add(visit(tree, siblings->level, nodes[i], count));
}

enum class Fork : int32_t { kInlineLeaves, kEveryChild };
// Their names, in that order.
constexpr std::array kForks = {"inline_leaves", "every_child"};

struct CountTree {
  uts::Tree tree;
  uts::Node root;
  Fork fork;
  // Height of nodes whose subtree is one leaf; 0: there are none.
  int32_t folded_at;
  uts::Count operator()() const;
};

constexpr uint32_t kSample = 100'000;
using Sample = std::vector<uts::Count>;

const uts::Count& draw(const Sample& sample, const uts::Node& node) {
  return sample[node.state[0] % kSample];
}

// Counts subtrees of nodes of that height: each of some number of children,
// whose own subtrees are drawn likewise. REQUIRES: the tree is a fixed one.
Sample sample_subtrees(const uts::Tree& tree, int32_t height) {
  Sample sample(kSample), below;
  for (int32_t h = tree.depth; h >= height; --h) {
    below.swap(sample);
    sample.clear();
    for (uint32_t i = 0; i < kSample; ++i) {
      const auto seed = static_cast<int32_t>(i + kSample * uint32_t(h));
      const uts::Node node = {uts::sha1_root(seed), h};
      const int children = uts::num_children(tree, node);
      sample.push_back(uts::Count::of(node, children));
      for (int c = 0; c < children; ++c)
        sample.back().merge(draw(below, uts::child_of(tree, node, c)));
    }
  }
  return sample;
}

// Counts the nodes of the subtrees of `siblings`, by a task for each.
uts::Count fork_over(Siblings siblings) {
  // The calling rank's own tree, which is not used after the spawn: the caller
  // may then be on another rank.
  const auto& [tree, root, fork, folded_at] = root_task<CountTree>();
  uts::Count count;
  while (siblings.size() == 1) {
    if (siblings.parent.height + 1 == folded_at) {
      const uts::Count& folded =
          draw(folded_sample<uts::Count>(),
               uts::child_of(tree, siblings.parent, siblings.first));
      charge_folded(folded.leaves - 1, folded.nodes);
      count.merge(folded);
      return count;
    }
    siblings = visit_next(tree, &siblings, &count);
  }
  if (siblings.empty()) return count;
  const Siblings half = split(&siblings);
  const auto first = spawn([half] { return fork_over(half); });
  count.merge(fork_over(siblings));
  count.merge(first.join());
  return count;
}

uts::Count fork_over_nonleaves(Siblings siblings, Siblings aside);

// Adds to `count` the nodes of the subtrees of `siblings` and of the pieces, of
// which there are two or more, by a task for each piece but the last.
uts::Count count_pieces(uts::Count count, const Siblings& siblings,
                        Pieces pieces) {
  const Siblings last = pieces.take_last();
  std::array<Future<uts::Count>, Pieces::kFound> others;
  for (size_t i = 0; i < pieces.size(); ++i) {
    others[i] =
        spawn([piece = pieces[i]] { return fork_over_nonleaves(piece, {}); });
  }
  count.merge(fork_over_nonleaves(siblings, last));
  for (size_t i = 0; i < pieces.size(); ++i) count.merge(others[i].join());
  return count;
}

// More than this many siblings are divided before any is looked at: a few
// microseconds of work.
constexpr int32_t kGrain = 16;

// Counts the nodes of the subtrees of `siblings` and of those set `aside`, by a
// task for every second one that has children.
uts::Count fork_over_nonleaves(Siblings siblings, Siblings aside) {
  // The calling rank's own tree, which is not used after the spawn: the caller
  // may then be on another rank.
  const uts::Tree& tree = root_task<CountTree>().tree;
  uts::Count count;
  Pieces pieces(aside);
  while (pieces.size() <= 1) {
    if (siblings.empty()) {
      if (pieces.size() == 0) return count;
      siblings = pieces.take_last();
    }
    if (siblings.size() > kGrain)
      pieces.add(split(&siblings));
    else
      visit_next(tree, &siblings, &count, &pieces);
  }
  return count_pieces(count, siblings, pieces);
}

uts::Count CountTree::operator()() const {
  const int num_children = uts::num_children(tree, root);
  const Siblings children = uts::children_of(tree, root, num_children);
  uts::Count count = uts::Count::of(root, num_children);
  count.merge(fork == Fork::kEveryChild ? fork_over(children)
                                        : fork_over_nonleaves(children, {}));
  return count;
}

// Checks --fold. Returns CountTree::folded_at.
int32_t height_of_folded(const uts::Params& params, Fork fork, int fold) {
  check_fold(fold);
  if (fold == 0) return 0;
  if (params.type != uts::TreeType::kGeometric ||
      params.shape != uts::GeoShape::kFixed || fork != Fork::kEveryChild ||
      fold >= params.depth) {
    flags::die(absl::StrCat("--fold: ", fold,
                            "; allowed: 0, and less than --depth with -t "
                            "geometric, -a fixed and --fork=every_child"));
  }
  return params.depth - fold;
}

}  // namespace

int uts_main(CLI::App& app, int argc, char** argv) {
  uts::Params params = default_tree();
  uts::add_options(app, &params);
  Fork fork = Fork::kInlineLeaves;
  flags::add_choice(app, "--fork", fork,
                    "where a task is spawned: for siblings that have children "
                    "(inline_leaves), or over all children, as in the papers "
                    "(every_child)",
                    kForks);
  int fold = 0;
  add_fold(app, fold);
  const Arguments arguments = parse(app, argc, argv);
  const CountTree root = {uts::make_tree(params), uts::root_of(params), fork,
                          height_of_folded(params, fork, fold)};
  if (fold > 0) {
    folded_sample<uts::Count>() = sample_subtrees(root.tree, root.folded_at);
  }
  Fields described = describe_tree(params);
  described.emplace_back("fork", kForks[static_cast<size_t>(fork)]);
  described.emplace_back("fold", fold);
  uts::Count count;
  return run(arguments, described, root, &count, [&] {
    Answer answer = answer_of(params, count);
    if (fold > 0) answer.mismatch = "";  // the size is drawn
    return answer;
  });
}

const Program kProgram(
    "uts", "Unbalanced Tree Search: counts the nodes of an unpredictable tree",
    uts_main);

}  // namespace magpie::bench
