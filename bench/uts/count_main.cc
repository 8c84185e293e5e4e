// Counts a UTS tree sequentially and checks it against the known answer:
//
//   bazel run //bench/uts:count -- --tree=T1

#include <chrono>
#include <cstdio>
#include <string>

#include "bench/uts/count.h"
#include "bench/uts/flags.h"
#include "bench/uts/sample_trees.h"
#include "bench/uts/tree.h"
#include "common/flags/flags.h"

int main(int argc, char** argv) {
  namespace uts = magpie::uts;
  magpie::flags::App app("Counts a UTS tree sequentially.");
  uts::Params params = uts::find_sample_tree("T1")->params;
  uts::add_options(app, &params);
  magpie::flags::parse_or_exit(app, argc, argv);

  const uts::Tree tree = uts::make_tree(params);
  const auto start = std::chrono::steady_clock::now();
  const uts::Count count = uts::count_sequential(tree, uts::root_of(params));
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::printf(
      "nodes %llu max_depth %llu leaves %llu seconds %.3f Mnodes/s %.2f\n",
      static_cast<unsigned long long>(count.nodes),
      static_cast<unsigned long long>(count.max_depth),
      static_cast<unsigned long long>(count.leaves), seconds.count(),
      static_cast<double>(count.nodes) / seconds.count() / 1e6);

  const uts::SampleTree* sample = uts::sample_tree_of(params);
  if (sample == nullptr) {
    std::printf("no known answer\n");
    return 0;
  }
  const std::string mismatch = uts::mismatch(*sample, count);
  if (!mismatch.empty()) {
    std::fprintf(stderr, "wrong: %s\n", mismatch.c_str());
    return 1;
  }
  std::printf("as known for %s\n", std::string(sample->name).c_str());
  return 0;
}
