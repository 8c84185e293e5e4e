#include "bench/uts/flags.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/uts/sample_trees.h"
#include "bench/uts/sha1.h"
#include "common/flags/flags.h"

namespace magpie::uts {
namespace {

// Names, and then the original's numbers for them.
constexpr std::array kTypes = {"binomial", "geometric", "hybrid", "balanced",
                               "0",        "1",         "2",      "3"};
constexpr std::array kShapes = {"linear", "expdec", "cyclic", "fixed",
                                "0",      "1",      "2",      "3"};

template <typename E>
void add_enum(CLI::App& app, const std::string& flag, E* target,
              const std::string& description,
              std::span<const char* const> names) {
  const size_t count = names.size() / 2;
  flags::add_choice(
      app, flag, [=](size_t i) { *target = static_cast<E>(i % count); },
      static_cast<size_t>(*target), description, names);
}

// CLI11 runs callbacks in the order in which options were added: --tree comes
// first, so that all others change it.
void add_tree(CLI::App& app, Params* params) {
  static const auto kNames = [] {
    std::vector<const char*> names;
    for (const SampleTree& sample : sample_trees())
      names.push_back(sample.name);
    return names;
  }();
  flags::add_choice(
      app, "--tree", [=](size_t i) { *params = sample_trees()[i].params; }, 0,
      "sample tree", kNames);
}

}  // namespace

std::string validate(const Params& p) {
  const bool is_geometric =
      p.type != TreeType::kBinomial && p.type != TreeType::kBalanced;
  const bool is_binomial =
      p.type == TreeType::kBinomial || p.type == TreeType::kHybrid;
  const double mean = p.nonleaf_probability * p.nonleaf_children;
  if (p.sha == Sha1Kernel::kNi && !has_sha1_ni()) {
    return "--sha: ni, but this processor has no SHA extensions; allowed: "
           "auto, portable";
  }
  if (is_geometric && p.shape == GeoShape::kCyclic && p.branching <= 0) {
    return absl::StrCat("-b (--branching): ", p.branching,
                        " with -a cyclic; allowed: above 0");
  }
  if (is_geometric && p.shape == GeoShape::kExpDec && p.branching <= 1) {
    return absl::StrCat("-b (--branching): ", p.branching,
                        " with -a expdec, a tree without end; allowed: above "
                        "1");
  }
  if (is_geometric && p.shape == GeoShape::kExpDec && p.depth < 2) {
    return absl::StrCat("-d (--depth): ", p.depth,
                        " with -a expdec; allowed: at least 2");
  }
  // T3L's mean is 1.00007, yet with its seed it ends; few others do.
  if (is_binomial && mean >= 1 && sample_tree_of(p) == nullptr) {
    return absl::StrCat(
        "-q (--nonleaf_probability): ", p.nonleaf_probability,
        " with -m (--nonleaf_children) ", p.nonleaf_children,
        ", an endless tree of ", mean,
        " children a node; allowed: q * m below 1, or a sample tree");
  }
  return "";
}

void add_options(CLI::App& app, Params* p) {
  add_tree(app, p);
  add_enum(app, "-t,--tree_type", &p->type, "tree type", kTypes);
  add_enum(app, "-a,--shape", &p->shape, "geometric shape", kShapes);
  flags::add_number(
      app, "-d,--depth", p->depth,
      "depth limit, or cycle length, of geometric and balanced trees", 1,
      1000000);
  flags::add_number(
      app, "-b,--branching", p->branching,
      "children of the root; for geometric trees the expected number", 0, 1e9);
  flags::add_number(app, "-r,--root_seed", p->seed, "seed of the root",
                    INT32_MIN, INT32_MAX);
  flags::add_number(app, "-q,--nonleaf_probability", p->nonleaf_probability,
                    "binomial trees: probability to have children", 0, 1);
  flags::add_number(app, "-m,--nonleaf_children", p->nonleaf_children,
                    "binomial trees: children of a node that has any", 0,
                    kMaxChildren);
  flags::add_number(app, "-f,--shift_depth", p->shift_depth,
                    "hybrid trees: fraction of the depth that is geometric", 0,
                    1);
  static constexpr std::array kKernels = {"auto", "portable", "ni"};
  flags::add_choice(app, "--sha", p->sha, "SHA-1 kernel", kKernels);
  flags::check_all(app, [p] { return validate(*p); });
}

}  // namespace magpie::uts
