// A pool whose load balancer checks its bag: it is asked after each task, and
// for more tasks only where the bag has none.

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/victim_selection.h"
#include "common/task_pool/pool.h"
#include "common/task_pool/steal_when_dry.h"

namespace magpie {
namespace {

class CheckingBalancer : public StealWhenDry<RandomVictim> {
 public:
  using StealWhenDry::StealWhenDry;

  template <typename Bag>
  void between_tasks(Bag& bag) {
    if (bag.counts().ended != ++tasks_)
      rma::fatal(absl::StrCat("asked ", tasks_,
                              " times between tasks, of which ",
                              bag.counts().ended, " have ended"));
  }

  template <typename Bag>
  bool when_dry(Bag& bag) {
    if (is_over_) rma::fatal("asked for tasks when the run was over");
    const uint64_t ended = bag.counts().ended;
    is_over_ = !StealWhenDry::when_dry(bag);
    if (bag.counts().ended != ended)
      rma::fatal("a task has run while the bag was dry");
    return !is_over_;
  }

 private:
  uint64_t tasks_ = 0;
  bool is_over_ = false;
};

using Pool = BalancedPool<LockedDeque, CheckingBalancer>;

}  // namespace

MAGPIE_TASK_POOL_SEAM(Pool, "pool_checking")

}  // namespace magpie
