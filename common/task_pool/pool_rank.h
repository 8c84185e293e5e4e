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
#include "common/run/root_result.h"
#include "common/run/run.h"
#include "common/task_pool/bag_options.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/finishes.h"
#include "common/task_pool/partial_result.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// Mark of a thread: its address tells threads apart, at the cost of an
// instruction.
inline thread_local const char thread_mark = 0;

// A RunnableRank (common/run/run.h), once a class derives from it that has
// options and a layout, and makes the bag.
class PoolRank : public ProgramOf<PoolInfo> {
 public:
  // Collective.
  PoolRank(const PoolOptions& options, const Root& root);
  virtual ~PoolRank() = default;
  static size_t heap_bytes(const PoolOptions& options, const Root& root);

  // Add a task. False: it is cancelable, the finish was cancelled, and nothing
  // was added.
  [[gnu::always_inline]] void add(const PoolTask& task, const void* closure,
                                  uint16_t bits) {
    if (!is_known(task)) [[unlikely]]
      return look_at_and_add(task, closure, bits);
    bag_->add(task, closure, bits);
  }
  void add_at(int rank, const PoolTask& task, const void* closure,
              uint16_t bits) {
    look_at(task, closure);
    bag_->add_at(rank, task, closure, bits);
  }
  // Whether a cancelable task can be added.
  bool takes_cancelable() {
    if (task_bytes_ == 0) begin_finish();
    return !constructs_.cancelled();
  }

  void merge(const PartialType& type, uint64_t index, const void* value) const {
    require_thread("merge");
    partial_.merge(type, index, value);
  }
  // One of the calling rank's partial results, in place.
  void* partial(const PartialType& type, uint64_t index) const {
    require_thread("partial");
    return partial_.in_place(type, index);
  }
  // Merges the value, where there is a type, and ends the run on all ranks.
  void end(const PartialType* type, const void* value) const;
  // Stores what the first values of all ranks merge to. Cost: for each other
  // rank three gets or more, one where no finish is open.
  void reduce(const PartialType& type, void* result) const;

  // Runs a finish.
  void run_finish(void (*call)(void* body), void* body);
  Constructs& constructs() { return constructs_; }

  // The calling rank's place, how many there are, how many ranks of it run
  // tasks; and the rank that gets the i-th of some tasks for a place.
  virtual int here() const { return rma::rank(); }
  virtual int places() const { return rma::size(); }
  virtual int workers() const { return 1; }
  virtual int rank_at(int place, size_t) const { return place; }

  // Runs the root, where that is to run: that rank's copy, which prepare() has
  // made ready; and tasks, until the root has returned and there are none.
  void run(const RootResult&);
  // Makes one result of all partial ones. Collective.
  void finish(const RootResult& result) {
    partial_.reduce();
    if (rma::rank() == 0) result.deliver(partial_.local());
  }
  Balance balance() const;
  SchedulerStats stats() const;
  OwnCounts own_counts() const { return bag_->own_counts(); }
  uint64_t region_bytes_max() const { return 0; }
  const PoolRank& program() const { return *this; }

 protected:
  // Limit of a queue, if it says one, for the root's tasks, or for any.
  template <template <typename Slot> typename Queue>
  static QueueLimit queue_limit(const Root* root) {
    const uint32_t task_bytes =
        root == nullptr ? kMaxTaskBytes : root->info->task_bytes();
    return with_slot(task_bytes, []<typename Slot>() -> QueueLimit {
      if constexpr (requires { Queue<Slot>::kMaxCapacity; })
        return {sizeof(Slot), Queue<Slot>::kMaxCapacity};
      else
        return {sizeof(Slot)};
    });
  }

  // Looks at a task that is to be added, which may begin a finish.
  void look_at(const PoolTask& task, const void* closure) {
    require_thread("add");
    ProgramOf::look_at(task.type, closure);
    if (task.type.closure_size > task_bytes_) [[unlikely]]
      begin_or_refuse(task);
  }
  // Whether look_at() would find nothing to do.
  [[gnu::always_inline]] bool is_known(const PoolTask& task) const {
    return &thread_mark == thread_ && !is_new(task.type) &&
           task.type.closure_size <= task_bytes_;
  }

  Constructs constructs_;
  std::unique_ptr<Bag> bag_;

 private:
  [[gnu::noinline]] void look_at_and_add(const PoolTask& task,
                                         const void* closure, uint16_t bits) {
    look_at(task, closure);
    bag_->add(task, closure, bits);
  }
  [[gnu::noinline]] void begin_or_refuse(const PoolTask& task);
  // Begins a finish: every rank enters it, and has the static data and a new
  // partial result. Called by the root.
  void begin_finish();
  // Runs tasks until the finish has ended. Called by the root.
  void end_finish();
  // Enters a finish that is not the first.
  void enter();
  // Waits for the next finish. Called by ranks other than the root's.
  bool has_entered_next();

  void require_thread(const char* function) const {
    if (&thread_mark != thread_) [[unlikely]]
      refuse_thread(function);
  }
  // Prints an error and ends the job: `function` was called by a thread that is
  // not the one on which tasks run.
  [[noreturn, gnu::cold]] static void refuse_thread(const char* function);

  // The mark of the thread that runs the root and all tasks.
  const char* const thread_ = &thread_mark;
  // Size that no task's closure exceeds; 0 where no finish is open, which the
  // same comparison finds.
  uint32_t task_bytes_;
  PartialResult partial_;
  Finishes finishes_;
  uint64_t between_finishes_ns_ = 0;
};

}  // namespace magpie

// Defines the functions of the seam by the class `P`, which derives from
// PoolRank and states kTraits. Stands in namespace magpie, in the one source
// file that also defines kPool, whose symbol becomes the object's first.
#define MAGPIE_TASK_POOL_SEAM(P)                                   \
  asm(".globl magpie_link_exactly_one_pool_from_the_root_BUILD");  \
  namespace pool_seam {                                            \
  void add(const PoolTask* type, const void* closure) {            \
    this_rank<P>().add(*type, closure, 0);                         \
  }                                                                \
  bool add_cancelable(const PoolTask* type, const void* closure) { \
    P& rank = this_rank<P>();                                      \
    const bool takes_it = rank.takes_cancelable();                 \
    if (takes_it) rank.add(*type, closure, kCancelable);           \
    return takes_it;                                               \
  }                                                                \
  MAGPIE_COMMON_SEAM(SeamOfRank<P>, PoolInfo, kPool)               \
  PoolTraits traits() { return P::kTraits; }                       \
  }  // namespace pool_seam

#endif  // MAGPIE_COMMON_TASK_POOL_POOL_RANK_H_
