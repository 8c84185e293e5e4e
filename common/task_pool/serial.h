// A pool of one rank: a stack of tasks. It is what the other pools' speed is
// compared with, and the plainest implementation of the seam.
//
// Thread safety: one rank, one thread. Invariants:
//   1. The first top_ bytes of tasks_ are the tasks that were added and not
//      run, oldest first: of each its closure, in multiples of 8 bytes, and
//      then its type.

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
#include "common/task_pool/partial_result.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie::serial {

class PoolRank {
 public:
  using Root = PoolProgram::Root;
  struct Options {
    OnAddress on_address = OnAddress::kStop;
  };

  static void add_options(CLI::App& app, Options& options) {
    take_one_rank(app, "the serial pool");
    magpie::add_options(app, options.on_address);
  }

  static rma::SegmentLayout layout(const Options&, const Root& root) {
    return {.region_bytes = 0, .heap_bytes = PoolProgram::heap_bytes(root)};
  }

  PoolRank(const Options& options, const Root& root)
      : program_(options.on_address, root) {}

  static PoolRank& self() { return this_rank<PoolRank>(); }

  void add(const PoolTask& task, const void* closure) {
    program_.look_at(task, closure);
    rma::charge(cost::kCopyByte, padded(task) + kTypeBytes);
    if (tasks_.size() < top_ + kMostBytes) [[unlikely]]
      tasks_.resize(2 * tasks_.size() + kMostBytes);
    std::memcpy(&tasks_[top_], closure, task.type.closure_size);
    const PoolTask* const type = &task;
    std::memcpy(&tasks_[top_ + padded(task)], &type, sizeof(type));
    top_ += padded(task) + kTypeBytes;
    ++created_;
  }
  void add_at(int, const PoolTask& task, const void* closure) {
    add(task, closure);
  }

  void run(const RootResult&) {
    program_.run_root();
    alignas(kMaxTaskAlign) std::byte closure[kMaxTaskBytes];
    while (top_ > 0) {
      const PoolTask* type;
      std::memcpy(&type, &tasks_[top_ - kTypeBytes], sizeof(type));
      rma::charge(cost::kCopyByte, padded(*type) + kTypeBytes);
      top_ -= padded(*type) + kTypeBytes;
      std::memcpy(closure, &tasks_[top_], type->type.closure_size);
      run_task(*type, closure);
      ++ended_;
    }
  }
  void finish(const RootResult& result) { program_.finish(result); }

  Balance balance() const { return {created_, ended_, 0, 0}; }
  SchedulerStats stats() const {
    return {.spawns = created_, .deaths = ended_};
  }
  uint64_t region_bytes_max() const { return 0; }
  const PoolProgram& program() const { return program_; }

 private:
  static constexpr size_t kTypeBytes = sizeof(const PoolTask*);
  static constexpr size_t kMostBytes = kMaxTaskBytes + kTypeBytes;
  static size_t padded(const PoolTask& task) {
    return (size_t{task.type.closure_size} + 7) / 8 * 8;
  }

  PoolProgram program_;
  std::vector<std::byte> tasks_;
  size_t top_ = 0;
  uint64_t created_ = 0, ended_ = 0;
};

}  // namespace magpie::serial

#endif  // MAGPIE_COMMON_TASK_POOL_SERIAL_H_
