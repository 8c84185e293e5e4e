// uts over a bag of tasks: every node is a task (icpp21 §5.2.2), which finds
// out how many children it has and adds them. The trees and their known sizes
// are in bench/uts.

#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/uts_tree.h"
#include "bench/uts/flags.h"
#include "bench/uts/tree.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

struct Visit {
  uts::Node node;
  void operator()() const;
};

struct CountTree {
  static constexpr uint32_t kTaskBytes = sizeof(Visit);

  uts::Tree tree;
  uts::Node root;
  void operator()() const { add(Visit{root}); }
};

void Visit::operator()() const {
  const uts::Tree& tree = pool_root<CountTree>().tree;
  const int children = uts::num_children(tree, node);
  merge(uts::Count::of(node, children));
  for (int i = 0; i < children; ++i) add(Visit{uts::child_of(tree, node, i)});
  rma::charge(kNode);
}

}  // namespace

int uts_pool_main(CLI::App& app, int argc, char** argv) {
  uts::Params params = default_tree();
  uts::add_options(app, &params);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const CountTree root = {uts::make_tree(params), uts::root_of(params)};
  uts::Count count;
  return run_in_pool(arguments, describe_tree(params), root, &count,
                     [&] { return answer_of(params, count); });
}

const Program kProgram("uts",
                       "Unbalanced Tree Search: counts an unpredictable tree, "
                       "a task for each node",
                       uts_pool_main);

}  // namespace magpie::bench
