// The task pool: a rank whose bag has a queue and a load balancer, which are
// parameters. The compositions in runtimes/ instantiate it.
//
// Source: icpp21 §2.1.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_H_

#include <concepts>
#include <cstddef>
#include <memory>

#include "common/rma/rma.h"
#include "common/stealing/victim_selection.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/load_balancer.h"
#include "common/task_pool/pool_rank.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/task_pool/steal_when_dry.h"

namespace magpie {

// A pool of bags, each with a load balancer; heap_bytes() is the memory of the
// balancer's own. `Queue<Slot>` is a StealableQueue.
template <template <typename Slot> typename Queue,
          std::derived_from<LoadBalancer> Balancer>
requires std::constructible_from<Balancer, const SearchOptions&, int>
class BalancedPool : public PoolRank {
  template <typename Slot>
  using BagWith = BagOf<Slot, Queue<Slot>, Balancer>;

 public:
  struct Options : PoolOptions, BagOptions {};
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = false, .searches = true, .has_inboxes = true};

  static void add_options(CLI::App& app, Options& options,
                          const Root* root = nullptr) {
    magpie::add_options(app, options, most_queue_bytes<Queue>(root));
    add_forced_steal(app, options.search);
    magpie::add_options(app, static_cast<PoolOptions&>(options));
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    const size_t bag = with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      return BagWith<Slot>::heap_bytes(options) + Balancer::heap_bytes();
    });
    return {.region_bytes = 0,
            .heap_bytes = bag + PoolRank::heap_bytes(options, root)};
  }

  // Collective.
  BalancedPool(const Options& options, const Root& root)
      : PoolRank(options, root) {
    with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      bag_ = std::make_unique<BagWith<Slot>>(options, early_end(),
                                             options.search, root.rank);
    });
  }
};

// The one that steals when a bag is dry.
template <template <typename Slot> typename Queue, VictimSelection Victims>
using BagPool = BalancedPool<Queue, StealWhenDry<Victims>>;

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_H_
