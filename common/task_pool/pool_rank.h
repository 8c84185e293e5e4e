// One rank of a pool, whatever its bag: the program and its partial result, and
// the finishes of its root; and the functions of the seam (runtime.h) over it.
// For pools, with their flags.
//
// Source: hybrid_glb_apgas18 §3, §4.3; the paper does not say how a finish
// starts.
//
// Finishes follow each other, with the numbers 1, 2, ..., and all ranks are in
// the first from the start. The root begins it with the first task that it
// adds, or by finish_async_any; what it adds outside of any such finish is of
// one that ends when the root has returned.
//
// On each rank lies a word, the number of the last finish that was cancelled. A
// rank that cancels puts the number of the open finish into all these words and
// flushes: from then on each rank sees the cancel when a cancelable task is
// called, which then does nothing, wherever it has been meanwhile. So queues,
// inboxes and messages are not searched.
//
// Thread safety: an instance belongs to one rank; others put to its word and to
// its static data. Invariants:
//   1. A finish has begun on all ranks before its body runs: each has entered
//      it and has said so, up a tree, when the root goes on.
//   2. The word is at most the number of the finish that is open, or was last:
//      a task that cancels runs within a finish and flushes before it goes on,
//      so no cancel outlives its finish.
//   3. Static data change while no task runs.

#ifndef MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_
#define MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/program.h"
#include "common/run/run.h"
#include "common/stealing/group.h"
#include "common/stealing/termination.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/partial_result.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

struct PoolOptions {
  OnAddress on_address = OnAddress::kStop;
  uint64_t static_bytes = 4 << 10;
};
void add_options(CLI::App& app, PoolOptions& options);
// Adds all flags but --forced_steal, which only some pools have
// (common/stealing/search.h).
void add_options(CLI::App& app, BagOptions& options, uint64_t most_queue_bytes);

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

 private:
  friend class PoolSeam;

  // State of the calling rank: no finish is open; the root adds to one; tasks
  // run.
  enum class Phase : uint8_t { kOutside, kBody, kTasks };
  // Beginning of the memory of the static data, which follow it.
  struct StaticHeader;

  // Begins a finish: every rank enters it, and has the static data and a new
  // partial result. Called by the root. Cost: where there are new static data a
  // put_nb to every rank and a flush; but for the first finish twice down a
  // tree, and up again.
  void begin_finish();
  // Runs tasks until the finish has ended. Called by the root.
  void end_finish();
  // Waits for the next finish, and enters it; after some polls of the network
  // it rests until it is woken. Called by ranks other than the root's. False:
  // no finish comes any more.
  bool has_entered_next();
  // Enters a finish that is not the first.
  void enter();
  // Says that the rank has entered a finish, and waits until all have.
  void say_entered();

  // Whether a finish is open: the root adds to it, or tasks run.
  bool is_open() const { return phase_ != Phase::kOutside; }
  // Prints an error and ends the job unless the caller is the root, outside of
  // a finish.
  void require_root(const char* function) const;
  StaticHeader& static_header() const {
    return *reinterpret_cast<StaticHeader*>(data_.local());
  }

  // The number of the finish that is open or was last; 0: there was none.
  uint64_t finish_;
  Phase phase_;
  const rma::RemotePtr<rma::Word> cancelled_;
  // The last finish that this rank has cancelled.
  uint64_t cancelled_here_ = 0;

  const uint64_t static_bytes_;
  const rma::RemotePtr<std::byte> data_;
  // New data for the next finish; the type is null where there are none.
  const StaticType* next_type_ = nullptr;
  std::vector<std::byte> next_;

  PartialResult partial_;
  // Number of finishes that have begun; whether the root has ended; whether all
  // ranks have entered a finish.
  EndOfRun begun_{/*wakes=*/true}, over_{/*wakes=*/true};
  Waves entered_{sizeof(uint64_t), alignof(uint64_t)};
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
