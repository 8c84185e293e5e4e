// The functions of both seams that are the same for every class of ranks: how a
// run begins, its flags, the root's closure. For runtimes, which add what tasks
// do.

#ifndef MAGPIE_COMMON_RUN_SEAM_OF_RANK_H_
#define MAGPIE_COMMON_RUN_SEAM_OF_RANK_H_

#include <string>
#include <typeinfo>
#include <vector>

#include "common/run/run.h"

namespace magpie {

// `Rank` is a RunnableRank whose Root is a RootOf, and whose program() is a
// ProgramOf.
template <typename Rank>
class SeamOfRank {
 public:
  static int run(const std::vector<std::string>& arguments,
                 const typename Rank::Root::Info* root, const void* closure,
                 void* result, RunReport* report) {
    return run_everywhere<Rank>(arguments, {root, closure}, result, report);
  }
  static const void* root_closure(const std::type_info& type) {
    return this_rank<Rank>().program().root_closure(type);
  }
  static void end_run(const std::type_info* type, const void* value) {
    this_rank<Rank>().program().end_run(type, value);
  }
  static bool is_ending() {
    return this_rank<Rank>().program().early_end().is_announced();
  }
  static std::string flags_help(const char* runtime) {
    return magpie::flags_help<Rank>(runtime);
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_SEAM_OF_RANK_H_
