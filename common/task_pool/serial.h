// A pool of one rank: a stack of tasks. It is what the other pools' speed is
// compared with, and the plainest bag.
//
// Thread safety: one rank, one thread. Invariants:
//   1. The first top_ bytes of tasks_ are the tasks that were added and not
//      run, oldest first: of each its closure, in multiples of 8 bytes, and
//      then its type and bits.

#ifndef MAGPIE_COMMON_TASK_POOL_SERIAL_H_
#define MAGPIE_COMMON_TASK_POOL_SERIAL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/run/early_end.h"
#include "common/run/run.h"
#include "common/task_pool/bag_options.h"
#include "common/task_pool/pool_rank.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace magpie::serial {

class Stack final : public Bag {
 public:
  Stack(const EarlyEnd& early_end, const Cancels& cancels)
      : early_end_(early_end), cancels_(cancels) {
    rma::self().status->show("spawned", created_);
    rma::self().status->show("ended", ended_);
  }

  [[gnu::always_inline]] void add(const PoolTask& task, const void* closure,
                                  uint16_t bits) override {
    rma::charge(cost::kCopyByte, padded(task) + kTypeBytes);
    if (tasks_.size() < top_ + kMostBytes) [[unlikely]]
      tasks_.resize(2 * tasks_.size() + kMostBytes);
    std::memcpy(&tasks_[top_], closure, task.type.closure_size);
    const TypeAndBits type(task, bits);
    std::memcpy(&tasks_[top_ + padded(task)], &type, sizeof(type));
    top_ += padded(task) + kTypeBytes;
    ++created_;
  }
  void add_at(int, const PoolTask& task, const void* closure,
              uint16_t bits) override {
    add(task, closure, bits);
  }

  void run(bool) override {
    alignas(kMaxTaskAlign) std::byte closure[kMaxTaskBytes];
    while (top_ > 0) {
      TypeAndBits task;
      std::memcpy(&task, &tasks_[top_ - kTypeBytes], sizeof(task));
      const PoolTask& type = task.type();
      rma::charge(cost::kCopyByte, padded(type) + kTypeBytes);
      top_ -= padded(type) + kTypeBytes;
      std::memcpy(closure, &tasks_[top_], type.type.closure_size);
      ++ended_;
      if (cancels_.drops(task.bits()) || early_end_.is_seen()) [[unlikely]]
        ++dropped_;
      else
        run_task(type, closure);
    }
  }
  void begin_next() override {}

  SchedulerStats stats() const override {
    return {.spawns = created_, .deaths = ended_};
  }
  OwnCounts own_counts() const override { return {{"dropped", dropped_}}; }

 private:
  static constexpr size_t kTypeBytes = sizeof(TypeAndBits);
  static constexpr size_t kMostBytes = kMaxTaskBytes + kTypeBytes;
  static size_t padded(const PoolTask& task) {
    return (size_t{task.type.closure_size} + 7) / 8 * 8;
  }

  const EarlyEnd early_end_;
  const Cancels& cancels_;
  std::vector<std::byte> tasks_;
  size_t top_ = 0;
  uint64_t created_ = 0, ended_ = 0;
  // Number of ended tasks that were dropped, not run.
  uint64_t dropped_ = 0;
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
    bag_ = std::make_unique<Stack>(early_end(), constructs_);
  }

  [[gnu::always_inline]] void add(const PoolTask& task, const void* closure,
                                  uint16_t bits) {
    if (!is_known(task)) [[unlikely]]
      look_at(task, closure);
    static_cast<Stack&>(*bag_).add(task, closure, bits);
  }
};

}  // namespace magpie::serial

#endif  // MAGPIE_COMMON_TASK_POOL_SERIAL_H_
