// One rank of a pool, whatever its bag: the program and its partial result, and
// the finishes of its root; and the functions of the seam (runtime.h) over it.
// For pools.
//
// Finishes follow each other, and all ranks are in the first from the start.
// The root begins it with the first task that it adds, or by finish_async_any;
// what it adds outside of any such finish is of one that ends when the root has
// returned.
//
// Thread safety: an instance belongs to one rank.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/rma/rma.h"
#include "common/run/program.h"
#include "common/run/run.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/finishes.h"
#include "common/task_pool/partial_result.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// A RunnableRank (common/run/run.h), once a class derives from it that has
// options and a layout, and makes the bag.
class PoolRank : public PoolSeam, public ProgramOf<PoolInfo> {
 public:
  // Collective.
  PoolRank(const PoolOptions& options, const Root& root);
  virtual ~PoolRank() = default;
  static size_t heap_bytes(const PoolOptions& options, const Root& root);

  // Runs the root, where that is to run: that rank's copy, which prepare() has
  // made ready; and tasks, until the root has returned and there are none.
  void run(const RootResult&);
  // Makes one result of all partial ones. Collective.
  void finish(const RootResult& result) {
    partial_.reduce();
    if (rma::rank() == 0) result.deliver(values_);
  }
  Balance balance() const;
  SchedulerStats stats() const;
  OwnCounts own_counts() const { return bag_->own_counts(); }
  uint64_t region_bytes_max() const { return 0; }
  const PoolRank& program() const { return *this; }

 protected:
  // The most bytes for a queue of slots for the root's tasks; for the largest
  // slots where the root is null.
  template <template <typename Slot> typename Queue>
  static uint64_t most_queue_bytes(const Root* root) {
    return with_slot(root == nullptr ? kMaxTaskBytes : root->info->task_bytes(),
                     []<typename Slot>() {
                       return magpie::most_queue_bytes<Queue<Slot>>();
                     });
  }

  // The rank that gets the i-th of some tasks for a place.
  virtual int rank_at(int place, size_t) const { return place; }

  Constructs constructs_;

 private:
  friend class PoolSeam;

  // Begins a finish: every rank enters it, and has the static data and a new
  // partial result. Called by the root.
  void begin_finish();
  // Runs tasks until the finish has ended. Called by the root.
  void end_finish();
  // Enters a finish that is not the first.
  void enter();
  // Waits for the next finish. Called by ranks other than the root's.
  bool has_entered_next();

  PartialResult partial_;
  Finishes finishes_;
  uint64_t between_finishes_ns_ = 0;
};

}  // namespace magpie

// Defines the pool: kPool, with its name as reports print it, and the functions
// of the seam by the class `P`, which derives from PoolRank and states kTraits.
// Stands in namespace magpie. The symbol of kPool becomes the object's first.
#define MAGPIE_TASK_POOL_SEAM(P, pool_name)                       \
  asm(".globl magpie_link_exactly_one_pool_from_the_root_BUILD"); \
  const RuntimeTraits kPool = {.name = pool_name};                \
  namespace pool_seam {                                           \
  MAGPIE_COMMON_SEAM(SeamOfRank<P>, PoolInfo, kPool)              \
  PoolTraits traits() { return P::kTraits; }                      \
  }  // namespace pool_seam

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_
