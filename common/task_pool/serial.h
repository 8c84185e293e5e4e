// A pool of one rank: a stack of tasks. It is what the other pools' speed is
// compared with, and the plainest implementation of the seams: it is one place
// of one worker, where the constructs of async_any.h are what they say.
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
#include <string>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/task/address_scan.h"
#include "common/task/costs.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/task_pool/words.h"

namespace magpie::serial {

class PoolRank {
 public:
  using Root = PoolProgram::Root;
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = true, .searches = true, .has_inboxes = true};
  struct Options {
    OnAddress on_address = OnAddress::kStop;
    ConstructsOptions constructs;
  };

  static void add_options(CLI::App& app, Options& options) {
    take_one_rank(app, "the serial pool");
    magpie::add_options(app, options.constructs);
    magpie::add_options(app, options.on_address);
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    return {.region_bytes = 0,
            .heap_bytes = PoolProgram::heap_bytes(root) +
                          Constructs::heap_bytes(options.constructs)};
  }

  PoolRank(const Options& options, const Root& root)
      : program_(options.on_address, root),
        constructs_(options.constructs, root) {
    rma::self().status->show("spawned", created_);
    rma::self().status->show("ended", ended_);
  }

  static PoolRank& self() { return this_rank<PoolRank>(); }

  [[gnu::always_inline]] void add(const PoolTask& task, const void* closure,
                                  uint16_t bits) {
    program_.look_at(task, closure);
    rma::charge(cost::kCopyByte, padded(task) + kTypeBytes);
    if (tasks_.size() < top_ + kMostBytes) [[unlikely]]
      tasks_.resize(2 * tasks_.size() + kMostBytes);
    std::memcpy(&tasks_[top_], closure, task.type.closure_size);
    const TypeAndBits type(task, bits);
    std::memcpy(&tasks_[top_ + padded(task)], &type, sizeof(type));
    top_ += padded(task) + kTypeBytes;
    ++created_;
  }
  void add_at(int, const PoolTask& task, const void* closure) {
    add(task, closure, 0);
  }
  void add_at_place(int, const PoolTask& task, const void* closures,
                    size_t count, uint16_t bits) {
    const auto* closure = static_cast<const std::byte*>(closures);
    for (size_t i = 0; i < count; ++i, closure += task.type.closure_size)
      add(task, closure, bits);
  }

  void run(const RootResult&) {
    program_.run_root();
    run_tasks();
  }
  void finish(const RootResult& result) { program_.finish(result); }

  Balance balance() const { return {created_, ended_, 0, 0}; }
  SchedulerStats stats() const {
    return {.spawns = created_, .deaths = ended_};
  }
  OwnCounts own_counts() const { return {{"dropped", dropped_}}; }
  uint64_t region_bytes_max() const { return 0; }
  const PoolProgram& program() const { return program_; }

  // Functions that ConstructsOfRank asks for.
  Constructs& constructs() { return constructs_; }
  void begin_finish() { program_.clear_partial(); }
  void end_finish() { run_tasks(); }
  void reduce(const PartialType& type, void* result) const {
    std::memcpy(result, program_.partial_to_reduce(type), type.size);
  }
  int here() const { return 0; }
  int places() const { return 1; }
  int workers() const { return 1; }

 private:
  static constexpr size_t kTypeBytes = sizeof(TypeAndBits);
  static constexpr size_t kMostBytes = kMaxTaskBytes + kTypeBytes;
  static size_t padded(const PoolTask& task) {
    return (size_t{task.type.closure_size} + 7) / 8 * 8;
  }

  void run_tasks() {
    alignas(kMaxTaskAlign) std::byte closure[kMaxTaskBytes];
    while (top_ > 0) {
      TypeAndBits task;
      std::memcpy(&task, &tasks_[top_ - kTypeBytes], sizeof(task));
      const PoolTask& type = task.type();
      rma::charge(cost::kCopyByte, padded(type) + kTypeBytes);
      top_ -= padded(type) + kTypeBytes;
      std::memcpy(closure, &tasks_[top_], type.type.closure_size);
      ++ended_;
      if (constructs_.drops(task.bits()) || program_.early_end().is_seen())
          [[unlikely]]
        ++dropped_;
      else
        run_task(type, closure);
    }
  }

  PoolProgram program_;
  Constructs constructs_;
  std::vector<std::byte> tasks_;
  size_t top_ = 0;
  uint64_t created_ = 0, ended_ = 0;
  // Number of ended tasks that were dropped, not run.
  uint64_t dropped_ = 0;
};

}  // namespace magpie::serial

#endif  // MAGPIE_COMMON_TASK_POOL_SERIAL_H_
