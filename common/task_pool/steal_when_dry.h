// The load balancer of task pools: a rank without tasks steals from victims,
// until there are no tasks on any rank.

#ifndef MAGPIE_COMMON_TASK_POOL_STEAL_WHEN_DRY_H_
#define MAGPIE_COMMON_TASK_POOL_STEAL_WHEN_DRY_H_

#include <cstddef>

#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/termination.h"
#include "common/stealing/victim_selection.h"
#include "common/task_pool/load_balancer.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// Asks one victim after the other. Source: icpp21 §2.1.
template <VictimSelection Victims>
class StealWhenDry : public LoadBalancer {
 public:
  // `root` is the rank that runs the root. Collective.
  StealWhenDry(const SearchOptions& options, int root)
      : search_(options, Group::of_all(), root) {}

  static size_t heap_bytes() {
    return Search<Victims>::heap_bytes() + Termination::heap_bytes();
  }

  template <typename Bag>
  bool when_dry(Bag& bag) {
    const auto over = [&] {
      return bag.has_mail() || termination_.poll(bag.counts());
    };
    if (rma::size() == 1) return !over();
    return search_.until(over, [&](int victim) { return bag.steal(victim); }) ||
           bag.has_mail();
  }

  void begin_next() { termination_.begin_next(); }

  bool hooks_adds() const { return search_.hooks_spawns(); }
  template <StealableQueue Queue>
  void after_push(Queue& queue) const {
    search_.after_push(queue);
  }

  SchedulerStats stats() const { return search_.stats(); }

 private:
  Termination termination_;
  Search<Victims> search_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_STEAL_WHEN_DRY_H_
