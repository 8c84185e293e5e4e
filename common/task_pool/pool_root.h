// What a pool's program is on each rank: the root, the partial result, and what
// is looked for in tasks. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_ROOT_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_ROOT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "common/rma/rma.h"
#include "common/run/root_result.h"
#include "common/task/address_scan.h"
#include "common/task/root_task.h"
#include "common/task_pool/partial_result.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie {

// The root as its caller has it: RunnableRank::Root of common/run/run.h.
struct PoolRoot {
  const PoolInfo* info;
  const void* closure;

  RootTask task() const { return {&info->root, closure}; }
  ResultShape result() const {
    return {info->partial->size, info->partial->align};
  }
  std::span<const std::byte> bytes() const { return task().bytes(); }
  PoolRoot with_bytes(const std::byte* there) const { return {info, there}; }
};

// A pool's program; one instance on each rank.
class Program {
 public:
  // Collective.
  Program(OnAddress on_address, const PoolRoot& root)
      : info_(*root.info),
        address_scan_(on_address),
        partial_(*root.info->partial),
        prepared_root_(root.task(), address_scan_) {}

  static size_t heap_bytes(const PoolRoot& root) {
    return AddressScan::heap_bytes() +
           PartialResult::heap_bytes(*root.info->partial) +
           root.task().heap_bytes();
  }

  // Looks at a task that the calling rank is about to add. What is wrong with
  // it ends the job in words.
  [[gnu::always_inline]] void look_at(const PoolTask& task,
                                      const void* closure) {
    if (address_scan_.is_new(task.type)) [[unlikely]]
      look_at_first(task, closure);
    if (task.type.closure_size > info_.task_bytes) [[unlikely]]
      too_large(task, info_.task_bytes);
  }

  // Runs the root on rank 0: that rank's copy, which prepare() has made ready.
  void run_root() {
    if (rma::rank() == 0) invoke(info_.root.task, root_closure(), nullptr);
  }

  // Makes one result of all partial ones. To be called when no task is left.
  // Collective.
  void finish(const RootResult& result) {
    partial_.reduce();
    if (rma::rank() == 0) result.deliver(partial_.local());
  }

  void* partial(const PartialType& type) const { return partial_.of(type); }
  const void* root_closure() const { return prepared_root_.closure(); }

 private:
  [[gnu::noinline]] void look_at_first(const PoolTask& task,
                                       const void* closure) {
    require_thread_of_tasks(thread_);
    address_scan_.look_at_closure(task.type, closure);
  }

  const PoolInfo& info_;
  // The thread that runs the root and all tasks.
  const std::thread::id thread_ = std::this_thread::get_id();
  AddressScan address_scan_;
  PartialResult partial_;
  const PreparedRoot prepared_root_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_ROOT_H_
