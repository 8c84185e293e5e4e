// One rank's bag of tasks: a queue from which others steal, an inbox, and the
// loop that runs tasks, youngest first, until there are none on any rank.
//
// Source: icpp21 §2.1.
//
// Tasks lie in slots of one size a run; the queue is over slots. What is not of
// that size is behind the interface Bag: so a program of 24-byte tasks copies
// 32 bytes each, and not 200.
//
// Thread safety: belongs to one rank; what others touch is the queue, the inbox
// and the termination's words. Invariants:
//   1. A task is counted as created before it is in a queue or an inbox, and as
//      ended when its closure has returned.
//   2. Every task is in one place: a queue, an inbox, a rank's `homeless_`, or
//      running. A rank that has any looks for no others.

#ifndef MAGPIE_IMPL_SWS_QUEUE_BAG_H_
#define MAGPIE_IMPL_SWS_QUEUE_BAG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/victim_selection.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"
#include "impl/sws_queue/inbox.h"
#include "impl/sws_queue/options.h"
#include "impl/sws_queue/termination.h"

namespace magpie::sws_queue {

class Bag {
 public:
  virtual ~Bag() = default;

  // By the root or a task, whose closure is no larger than the bag's slots.
  virtual void add(const PoolTask& type, const void* closure) = 0;
  virtual void add_at(int rank, const PoolTask& type, const void* closure) = 0;
  // Runs tasks until there are none anywhere. Collective.
  virtual void run() = 0;

  virtual SchedulerStats stats() const = 0;
};

// A task in a queue.
template <size_t kBytes>
struct Slot {
  std::byte closure[kBytes];
  const PoolTask* type;

  [[gnu::always_inline]] void fill(const PoolTask& task,
                                   const void* its_closure) {
    type = &task;
    if (task.type.closure_size == kBytes) [[likely]]
      std::memcpy(closure, its_closure, kBytes);
    else
      std::memcpy(closure, its_closure, task.type.closure_size);
  }
};

template <typename Slot, StealableQueue Queue, VictimSelection Victims>
class BagOf final : public Bag {
 public:
  explicit BagOf(const Options& options)
      : queue_(options.template queue<Slot>()),
        inbox_(options.template inbox<Inbox<Slot>>()),
        search_(options.search),
        hooked_add_(search_.hooks_spawns()) {}

  static size_t heap_bytes(const Options& options) {
    return Queue::heap_bytes(options.template queue<Slot>()) +
           Inbox<Slot>::heap_bytes(options.template inbox<Inbox<Slot>>()) +
           Search<Victims>::heap_bytes() + Termination::heap_bytes();
  }

  void add(const PoolTask& type, const void* closure) override {
    ++counts_.created;
    rma::charge(rma::Cost::kCopyByte, sizeof(Slot));
    if (queue_.full()) [[unlikely]]
      return run_at_once(type, closure);
    const auto fill = [&](Slot* task) { task->fill(type, closure); };
    if constexpr (PushesInPlace<Queue, decltype(fill)>)
      queue_.push_in_place(fill);
    else
      queue_.push(slot_of(type, closure));
    if (hooked_add_) [[unlikely]]
      search_.after_push(queue_);
  }

  void add_at(int rank, const PoolTask& type, const void* closure) override {
    if (rank == rma::rank()) return add(type, closure);
    ++counts_.created;
    inbox_.put(rank, slot_of(type, closure), [this] {
      empty_inbox_anyway();  // its owner may wait for this rank
      rma::flush_all();
      rma::idle();
    });
  }

  void run() override {
    RunningSlot task;
    // Others than rank 0 begin with a search, as Search asks them to.
    for (bool any = rma::rank() == 0 || find_work(); any; any = find_work()) {
      while (next(&task)) {
        run(task);
        // Whom this rank has robbed wants to know that it has its loot.
        if (std::exchange(is_notice_on_its_way_, false)) rma::flush_all();
        if (polls_) [[unlikely]]
          rma::poll();
      }
    }
    rma::flush_all();
  }

  SchedulerStats stats() const override {
    SchedulerStats stats = search_.stats() + stats_;
    stats.spawns = counts_.created;
    stats.deaths = counts_.ended;
    return stats;
  }

 private:
  // Where a closure can be called, which a queue's slots are not.
  struct alignas(kMaxTaskAlign) RunningSlot : Slot {};

  static Slot slot_of(const PoolTask& type, const void* closure) {
    Slot task;
    task.fill(type, closure);
    return task;
  }

  void run(const RunningSlot& task) {
    rma::charge(rma::Cost::kCopyByte, sizeof(Slot));
    run_task(*task.type, task.closure);
    ++counts_.ended;
  }

  // A full bag: on top of the task that adds it.
  [[gnu::noinline]] void run_at_once(const PoolTask& type,
                                     const void* closure) {
    const auto* const frame =
        static_cast<const std::byte*>(__builtin_frame_address(0));
    const auto* const outermost = nested_from_;
    if (outermost == nullptr) nested_from_ = frame;
    if (nested_from_ - frame > kMostNested) bag_too_small();
    run({slot_of(type, closure)});
    nested_from_ = outermost;
  }

  void empty_inbox() {
    if (inbox_.empty()) [[likely]]
      return;
    Slot task;
    while (!queue_.full() && inbox_.take(&task)) queue_.push(task);
  }

  // Also where the queue is full: into ordinary memory.
  void empty_inbox_anyway() {
    empty_inbox();
    Slot task;
    while (inbox_.take(&task)) homeless_.push_back(task);
  }

  // Puts into the queue what it has room for, oldest first. Returns how many.
  size_t house(std::span<const Slot> tasks) {
    size_t housed = 0;
    if constexpr (TakesLoot<Queue>) {
      housed = std::min(tasks.size(), queue_.room());
      queue_.push_all(tasks.first(housed));
    } else {
      for (; housed < tasks.size() && !queue_.full(); ++housed)
        queue_.push(tasks[housed]);
    }
    return housed;
  }

  // The youngest. False: this rank has none.
  bool next(RunningSlot* task) {
    empty_inbox();
    return queue_.pop(task) || (!homeless_.empty() && next_homeless(task));
  }
  [[gnu::noinline]] bool next_homeless(RunningSlot* task) {
    const size_t housed = house(homeless_);
    homeless_.erase(homeless_.begin(), homeless_.begin() + housed);
    if (queue_.pop(task)) return true;
    if (homeless_.empty()) return false;  // others have stolen them
    *task = {homeless_.back()};
    homeless_.pop_back();
    return true;
  }

  // Steals some, or finds some in the inbox. False: there are none, on any
  // rank.
  bool find_work() {
    const auto over = [&] {
      return !inbox_.empty() || termination_.over(counts_);
    };
    if (rma::size() == 1) return !over();
    return search_.until(over, [&](int victim) { return steal(victim); }) ||
           !inbox_.empty();
  }

  Outcome steal(int victim) {
    return queue_.steal(queue_.remote(victim), [&](std::span<const Slot> loot) {
      stats_.stolen_bytes += loot.size_bytes();
      is_notice_on_its_way_ = true;
      homeless_.insert(homeless_.end(), loot.begin() + house(loot), loot.end());
    });
  }

  Queue queue_;
  Inbox<Slot> inbox_;
  Termination termination_;
  Search<Victims> search_;
  const bool hooked_add_;
  const bool polls_ = rma::self().poll_at_spawn;
  Counts counts_;
  SchedulerStats stats_;
  // The queue was full.
  std::vector<Slot> homeless_;
  bool is_notice_on_its_way_ = false;
  // The frame of the first of the tasks that are run at once; or null.
  const std::byte* nested_from_ = nullptr;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_BAG_H_
