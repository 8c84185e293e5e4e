// A pool of one rank: a stack of tasks. It is what the other pools' speed is
// compared with, and the plainest bag.
//
// Thread safety: one rank, one thread. Invariants:
//   1. The first top_ of tasks_ are those that were added and not run, oldest
//      first.

#ifndef MAGPIE_COMMON_TASK_POOL_SERIAL_H_
#define MAGPIE_COMMON_TASK_POOL_SERIAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/run/program.h"
#include "common/run/run.h"
#include "common/task_pool/pool_rank.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace magpie::serial {

template <typename Slot>
class Stack final : public Bag {
 public:
  explicit Stack(const EarlyEnd& early_end) : early_end_(early_end) {
    if (!rma::is_simulated()) filling_bytes = sizeof(Slot::closure);
    rma::self().status->show("spawned", created_);
    rma::self().status->show("ended", ended_);
  }

  bool add_at_once(const PoolTask& task, const void* closure) override {
    if (top_ == tasks_.size()) [[unlikely]]
      return false;
    tasks_[top_++].fill(task, closure);
    ++created_;
    return true;
  }
  void add(const PoolTask& task, const void* closure) override {
    charge_copy_of(task);
    if (top_ == tasks_.size()) tasks_.resize(2 * top_ + 1);
    tasks_[top_++] = Slot::of(task, closure);
    ++created_;
  }
  void add_at(int, const PoolTask& task, const void* closure) override {
    add(task, closure);
  }

  void run(bool) override {
    while (top_ > 0) {
      const Slot& task = tasks_[--top_];
      charge_copy_of(*task.type);
      ++ended_;
      if (early_end_.is_seen()) [[unlikely]]
        ++dropped;
      else
        run_task(*task.type, task.closure);
    }
  }
  void begin_next() override {}

  SchedulerStats stats() const override {
    return {.spawns = created_, .deaths = ended_};
  }
  OwnCounts own_counts() const override { return {{"dropped", dropped}}; }

 private:
  // Charges for the words of a task, however large the slot is.
  static void charge_copy_of(const PoolTask& task) {
    rma::charge(cost::kCopyByte,
                (task.type.closure_size + 7) / 8 * 8 + sizeof(Slot::type));
  }

  const EarlyEnd early_end_;
  std::vector<Slot> tasks_;
  size_t top_ = 0;
  uint64_t created_ = 0, ended_ = 0;
};

class Pool : public PoolRank {
 public:
  using Options = PoolOptions;
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = true, .searches = true, .has_inboxes = true};

  static void add_options(CLI::App& app, Options& options) {
    take_one_rank(app, "the serial pool");
    magpie::add_options(app, options);
  }
  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    return {.region_bytes = 0,
            .heap_bytes = PoolRank::heap_bytes(options, root)};
  }

  Pool(const Options& options, const Root& root) : PoolRank(options, root) {
    with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      bag_ = std::make_unique<Stack<Slot>>(early_end());
    });
  }
};

}  // namespace magpie::serial

#endif  // MAGPIE_COMMON_TASK_POOL_SERIAL_H_
