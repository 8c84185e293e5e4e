#include "bench/uts/validate.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "bench/uts/sample_trees.h"
#include "bench/uts/sha1.h"
#include "bench/uts/tree.h"

namespace magpie::uts {
namespace {

// Refuses trees that may be infinite or are not defined.
std::string validate_geometric(const Params& p) {
  if (p.shape == GeoShape::kCyclic && p.branching <= 0) {
    return absl::StrCat("-b (--branching): ", p.branching,
                        " with -a cyclic; allowed: above 0");
  }
  if (p.shape == GeoShape::kExpDec && p.branching <= 1) {
    return absl::StrCat("-b (--branching): ", p.branching,
                        " with -a expdec, a tree without end; allowed: above "
                        "1");
  }
  if (p.shape == GeoShape::kExpDec && p.depth < 2) {
    return absl::StrCat("-d (--depth): ", p.depth,
                        " with -a expdec; allowed: at least 2");
  }
  return "";
}

std::string validate_binomial(const Params& p) {
  const double mean = p.nonleaf_probability * p.nonleaf_children;
  // T3L's mean is 1.00007, yet with its seed it ends; few others do.
  if (mean < 1 || sample_tree_of(p) != nullptr) return "";
  return absl::StrCat(
      "-q (--nonleaf_probability): ", p.nonleaf_probability,
      " with -m (--nonleaf_children) ", p.nonleaf_children,
      ", an endless tree of ", mean,
      " children a node; allowed: q * m below 1, or a sample tree");
}

}  // namespace

std::string validate(const Params& p) {
  if (p.sha == Sha1Kernel::kNi && !has_sha1_ni()) {
    return "--sha: ni, but this processor has no SHA extensions; allowed: "
           "auto, portable";
  }
  std::string error;
  if (p.type == TreeType::kGeometric || p.type == TreeType::kHybrid) {
    error = validate_geometric(p);
  }
  if (error.empty() &&
      (p.type == TreeType::kBinomial || p.type == TreeType::kHybrid)) {
    error = validate_binomial(p);
  }
  return error;
}

}  // namespace magpie::uts
