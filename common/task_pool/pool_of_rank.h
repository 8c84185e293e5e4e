// The functions of the seam (runtime.h), by those of a pool's class of ranks.
// For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_OF_RANK_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_OF_RANK_H_

#include <string>
#include <vector>

#include "common/run/run.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie {

// `Rank` is a RunnableRank with add(), add_at() and program(), found by
// Rank::self().
template <typename Rank>
class PoolOfRank {
 public:
  static void add(const PoolTask* task, const void* closure) {
    running().add(*task, closure);
  }
  static void add_at(int rank, const PoolTask* task, const void* closure) {
    Rank& running_rank = running();
    require_rank(rank);
    running_rank.add_at(rank, *task, closure);
  }
  static void* partial(const PartialType* type) {
    return running().program().partial(*type);
  }
  static int run(const std::vector<std::string>& arguments,
                 const PoolInfo* info, const void* closure, void* result,
                 RunReport* report) {
    return run_everywhere<Rank>(arguments, {info, closure}, result, report);
  }
  static const void* root_closure() {
    return running().program().root_closure();
  }
  static std::string flags_help() {
    return magpie::flags_help<Rank>(kPool.name);
  }

 private:
  static Rank& running() {
    if (rma::self().local == nullptr) [[unlikely]]
      not_running();
    return Rank::self();
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_OF_RANK_H_
