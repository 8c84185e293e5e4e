// What a pool's program is on each rank: the root, the partial result, and what
// is looked for in tasks; and the functions of the seam (runtime.h) over a
// class of ranks. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_PROGRAM_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/root_result.h"
#include "common/run/run.h"
#include "common/task/address_scan.h"
#include "common/task/invoke.h"
#include "common/task/program.h"
#include "common/task/seam_of_rank.h"
#include "common/task_pool/partial_result.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie {

// A pool's program; one instance on each rank.
class PoolProgram : public ProgramOf<PoolInfo> {
 public:
  // Collective.
  PoolProgram(OnAddress on_address, const Root& root)
      : ProgramOf(on_address, root),
        task_bytes_(root.info->task_bytes()),
        partial_(*root.info->partial, root.result_count()) {}

  static size_t heap_bytes(const Root& root) {
    return ProgramOf::heap_bytes(root) +
           PartialResult::heap_bytes(*root.info->partial, root.result_count());
  }

  [[gnu::always_inline]] void look_at(const PoolTask& task,
                                      const void* closure) {
    require_thread("add");
    ProgramOf::look_at(task.type, closure, [](const TypeInfo&) {});
    if (task.type.closure_size > task_bytes_) [[unlikely]]
      too_large(task, *root().info);
  }

  // Runs the root where it is to run: that rank's copy, which prepare() has
  // made ready.
  void run_root() {
    if (root().is_here()) invoke(root().info->task, prepared(), nullptr);
  }

  // Makes one result of all partial ones. To be called when no task is left.
  // Collective.
  void finish(const RootResult& result) {
    partial_.reduce();
    if (rma::rank() == 0) result.deliver(partial_.local());
  }

  void merge(const PartialType& type, uint64_t index, const void* value) const {
    require_thread("merge");
    partial_.merge(type, index, value);
  }
  // One of the calling rank's partial results, in place.
  void* partial(const PartialType& type, uint64_t index) const {
    require_thread("partial");
    if (root().info->opens_finishes) [[unlikely]]
      refuse_in_place();
    return partial_.in_place(type, index);
  }
  // Merges the value, where there is a type, and ends the run on all ranks.
  void end(const PartialType* type, const void* value) const {
    require_thread("end_pool");
    if (root().info->opens_finishes) [[unlikely]]
      refuse_end_of_finishes();
    if (type != nullptr) {
      partial_.of(*type, "end_pool()");
      partial_.merge_in_sight(*type, 0, value);
    }
    early_end().announce();
  }

  // The calling rank's partial results, for reduce_async_any().
  const void* partial_to_reduce(const PartialType& type) const {
    return partial_.of(type, "reduce_async_any()");
  }
  void clear_partial() { partial_.clear(); }

  // Merges as merge does, so that reduce_now may be called meanwhile.
  void merge_in_sight(const PartialType& type, uint64_t index,
                      const void* value) const {
    require_thread("merge");
    partial_.merge_in_sight(type, index, value);
  }
  // Stores what the first values of all ranks merge to. REQUIRES: all ranks
  // merge by merge_in_sight. Cost: for each other rank three gets or more, one
  // where nobody merges.
  void reduce_now(const PartialType& type, void* result, bool may_merge) const {
    std::memcpy(result, partial_.of(type, "reduce_async_any()"), type.size);
    std::vector<std::byte> other(type.size + type.align);
    void* place = other.data();
    size_t room = other.size();
    std::align(type.align, type.size, place, room);
    for (int rank = 0; rank < rma::size(); ++rank) {
      if (rank == rma::rank()) continue;
      partial_.read_first(rank, place, may_merge);
      type.merge(result, place);
    }
  }

 private:
  void require_thread(const char* function) const {
    if (&thread_mark != thread_) [[unlikely]]
      refuse_thread(function);
  }

  // The mark of the thread that runs the root and all tasks.
  const char* const thread_ = &thread_mark;
  // Size that no task's closure exceeds.
  const uint32_t task_bytes_;
  PartialResult partial_;
};

// The functions of the seam. `Rank` is what SeamOfRank asks for, with add() and
// add_at(), and states the pool's kTraits; its program() is a PoolProgram.
template <typename Rank>
class PoolOfRank : public SeamOfRank<Rank> {
 public:
  static constexpr PoolTraits kTraits = Rank::kTraits;

  static void add(const PoolTask* task, const void* closure) {
    this_rank<Rank>().add(*task, closure);
  }
  static void add_at(int rank, const PoolTask* task, const void* closure) {
    require_rank(rank);
    this_rank<Rank>().add_at(rank, *task, closure);
  }
  static void merge(const PartialType* type, uint64_t index,
                    const void* value) {
    this_rank<Rank>().program().merge(*type, index, value);
  }
  static void* partial(const PartialType* type, uint64_t index) {
    return this_rank<Rank>().program().partial(*type, index);
  }
  static void end(const PartialType* type, const void* value) {
    this_rank<Rank>().program().end(type, value);
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_PROGRAM_H_
