// The task pool: the functions of the seam (common/task_pool/runtime.h) over
// bags of tasks, one on each rank. The queue and the load balancer are
// parameters. The compositions in runtimes/ instantiate it.
//
// Source: icpp21 §2.1.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/stealing/victim_selection.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/bag_options.h"
#include "common/task_pool/load_balancer.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"

namespace magpie {

// `Queue<Slot>` is a StealableQueue.
template <template <typename Slot> typename Queue, LoadBalancer Balancer>
class PoolRank {
  template <typename Slot>
  using Bags = BagOf<Slot, Queue<Slot>, Balancer>;

 public:
  using Root = PoolProgram::Root;
  using Options = BagOptions;
  static constexpr PoolTraits kTraits = {.takes_one_rank = false,
                                         .searches = searches<Balancer>(),
                                         .has_inboxes = !DirectsMail<Balancer>};

  static void add_options(CLI::App& app, BagOptions& options) {
    add_options_for(app, options, kMaxTaskBytes);
  }
  static void add_options(CLI::App& app, BagOptions& options,
                          const Root& root) {
    add_options_for(app, options, root.info->task_bytes());
  }

  static rma::SegmentLayout layout(const BagOptions& options,
                                   const Root& root) {
    const size_t bag = with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      return Bags<Slot>::heap_bytes(options) + Balancer::heap_bytes();
    });
    return {.region_bytes = 0,
            .heap_bytes = bag + PoolProgram::heap_bytes(root)};
  }

  // Collective.
  PoolRank(const BagOptions& options, const Root& root)
      : program_(options.on_address, root),
        bag_(with_slot(root.info->task_bytes(),
                       [&]<typename Slot>() -> std::unique_ptr<Bag> {
                         return std::make_unique<Bags<Slot>>(
                             options, program_.early_end(), options, root.rank);
                       })) {}

  static PoolRank& self() { return this_rank<PoolRank>(); }

  void add(const PoolTask& task, const void* closure) {
    program_.look_at(task, closure);
    bag_->add(task, closure, 0);
  }
  void add_at(int rank, const PoolTask& task, const void* closure) {
    program_.look_at(task, closure);
    bag_->add_at(rank, task, closure, 0);
  }

  void run(const RootResult&) {
    program_.run_root();
    bag_->run(program_.root().is_here());
  }
  void finish(const RootResult& result) { program_.finish(result); }

  Balance balance() const {
    const SchedulerStats stats = bag_->stats();
    return {stats.spawns, stats.deaths, 0, 0};
  }
  SchedulerStats stats() const { return bag_->stats(); }
  OwnCounts own_counts() const { return bag_->own_counts(); }
  uint64_t region_bytes_max() const { return 0; }
  const PoolProgram& program() const { return program_; }

 private:
  static void add_options_for(CLI::App& app, BagOptions& options,
                              uint32_t task_bytes) {
    magpie::add_options(app, options, queue_limit<Queue>(task_bytes));
    add_forced_steal(app, options.search);
  }

  PoolProgram program_;
  const std::unique_ptr<Bag> bag_;
};

// A pool of bags, each with a load balancer; and one that steals when a bag is
// dry.
template <template <typename Slot> typename Queue, LoadBalancer Balancer>
using BalancedPool = PoolOfRank<PoolRank<Queue, Balancer>>;
template <template <typename Slot> typename Queue, VictimSelection Victims>
using BagPool = BalancedPool<Queue, StealWhenDry<Victims>>;

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_H_
