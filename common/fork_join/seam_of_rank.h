// The functions of the seam (runtime.h) that are the same for every class of
// ranks: how a run begins, its flags, the root's closure. For runtimes, which
// add spawn, join and discard.

#ifndef MAGPIE_COMMON_FORK_JOIN_SEAM_OF_RANK_H_
#define MAGPIE_COMMON_FORK_JOIN_SEAM_OF_RANK_H_

#include <string>
#include <vector>

#include "common/fork_join/runtime.h"
#include "common/run/run.h"

namespace magpie {

// `Rank` is a RunnableRank with root_closure(), found by Rank::self().
template <typename Rank>
class SeamOfRank {
 public:
  static int run(const std::vector<std::string>& arguments,
                 const RootInfo* root, const void* closure, void* result,
                 RunReport* report) {
    return run_everywhere<Rank>(arguments, {root, closure}, result, report);
  }
  static const void* root_closure() { return Rank::self().root_closure(); }
  static std::string flags_help() {
    return magpie::flags_help<Rank>(kRuntime.name);
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_SEAM_OF_RANK_H_
