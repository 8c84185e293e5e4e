// Makes a mistake with fork and join.

#include "absl/strings/match.h"
#include "common/rma/rma.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

// A runtime without a region has no flag for it.
bool can_be_made(const Mistake& mistake) {
  if (rma::is_simulated() && hangs_its_process(mistake)) return false;
  constexpr char kRegion[] = "--region_bytes";
  return !absl::StrContains(mistake.flags, kRegion) ||
         absl::StrContains(seam::flags_help(), kRegion);
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv},
                      {futures(), addresses(), runs(), endings(), memory(),
                       hangs(), early_end()},
                      can_be_made);
}
