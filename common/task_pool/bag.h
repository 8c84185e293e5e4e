// One rank's bag of tasks: a queue from which others steal, an inbox, and the
// loop that runs tasks, youngest first, until there are none on any rank. How a
// dry bag gets some is up to its load balancer (load_balancer.h).
//
// Source: icpp21 §2.1.
//
// Tasks lie in slots of one size a run; the queue is over slots. What is not of
// that size is behind the interface Bag: so a program of 24-byte tasks copies
// 32 bytes each, and not 200.
//
// What has no place in the queue waits in `overflow_`, in ordinary memory, from
// where nobody steals: places of the queue are used as long as a thief still
// copies, so that a queue may be full with few tasks in it, or with none. That
// memory is bounded: a task that finds no room there either is run at once, on
// top of the one that adds it. Others' tasks then stay in the inbox, and
// whoever waits for room there is held back; but a rank that itself waits for
// room in another's inbox runs them, on top of the task that waits, or two such
// ranks might wait for each other.
//
// Thread safety: belongs to one rank; what others touch is the queue, the inbox
// and the termination's words. Invariants:
//   1. A task is counted as created before it is in a queue or an inbox, and as
//      ended when its closure has returned, or it was dropped when its turn had
//      come: so a run that ends early ends as any other.
//   2. Every task is in one place: a queue, an inbox, a rank's `overflow_`, or
//      running. A rank that runs tasks looks for others when it has none.
//   3. Tasks here add to overflow_ as long as it has fewer than the queue can
//      hold, and the inbox as long as it has fewer than twice as many: so a bag
//      that its own tasks keep full still takes others'. A task that was taken
//      from overflow_ leaves its place to the first that it adds. There are
//      more only while a rank waits for room in another's inbox on top of so
//      many tasks that no other may be run there.
//   4. A rank that has drawn a number of another's inbox puts its task there as
//      soon as it looks and there is room, also while it runs other tasks on
//      top of the one that waits: later numbers are taken after it.

#ifndef MAGPIE_COMMON_TASK_POOL_BAG_H_
#define MAGPIE_COMMON_TASK_POOL_BAG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/inbox.h"
#include "common/stealing/overflow.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/termination.h"
#include "common/task/costs.h"
#include "common/task/early_end.h"
#include "common/task_pool/bag_options.h"
#include "common/task_pool/load_balancer.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"
#include "common/trace/scope.h"

namespace magpie {

class Bag {
 public:
  virtual ~Bag() = default;

  // Add a task whose closure is no larger than the bag's slots. Called by the
  // root or a task. `bits` are the pool's (slot.h).
  virtual void add(const PoolTask& type, const void* closure,
                   uint16_t bits) = 0;
  virtual void add_at(int rank, const PoolTask& type, const void* closure,
                      uint16_t bits) = 0;
  // Runs tasks until there are none anywhere. has_root: the caller has run the
  // root, and may have tasks. Collective.
  virtual void run(bool has_root) = 0;

  // Begins a new run, in which somebody has a task already. REQUIRES: the last
  // one is over.
  virtual void begin_next() = 0;

  virtual SchedulerStats stats() const = 0;
  virtual OwnCounts own_counts() const = 0;
};

template <typename Slot, StealableQueue Queue, LoadBalancer Balancer>
class BagOf final : public Bag {
 public:
  // The balancer is made of `its`. Collective.
  template <typename... Its>
  explicit BagOf(const BagOptions& options, const EarlyEnd& early_end,
                 Its&&... its)
      : queue_(options.template queue<Slot>()),
        capacity_(options.template queue<Slot>().capacity),
        inbox_(options.template inbox<Inbox<Slot>>()),
        balancer_(std::forward<Its>(its)...),
        early_end_(early_end),
        hooked_add_(balancer_.hooks_adds()) {
    rma::self().status->show("spawned", counts_.created);
    rma::self().status->show("ended", counts_.ended);
  }

  // Bytes of the symmetric heap that it takes, without the balancer's.
  static size_t heap_bytes(const BagOptions& options) {
    return Queue::heap_bytes(options.template queue<Slot>()) +
           Inbox<Slot>::heap_bytes(options.template inbox<Inbox<Slot>>());
  }

  void add(const PoolTask& type, const void* closure, uint16_t bits) override {
    ++counts_.created;
    rma::charge(cost::kCopyByte, sizeof(Slot));
    if (queue_.full()) [[unlikely]]
      return add_to_full(type, closure, bits);
    const auto fill = [&](Slot* task) { task->fill(type, closure, bits); };
    if constexpr (PushesInPlace<Queue, decltype(fill)>)
      queue_.push_in_place(fill);
    else
      queue_.push(slot_of(type, closure, bits));
    if (hooked_add_) [[unlikely]]
      balancer_.after_push(queue_);
  }

  void add_at(int rank, const PoolTask& type, const void* closure,
              uint16_t bits) override {
    const int to = address_of(rank);
    if (to == rma::rank()) return add(type, closure, bits);
    ++counts_.created;
    Outgoing out = {to, inbox_.draw(to), slot_of(type, closure, bits)};
    if (!put(out)) [[unlikely]]
      wait_to_put(out);
  }

  void run(bool has_root) override {
    RunningSlot task;
    // The others begin with a search, as Search asks them to.
    for (bool any = has_root || balancer_.when_dry(*this); any;
         any = balancer_.when_dry(*this)) {
      while (next(&task)) {
        if constexpr (requires { balancer_.before_task(*this); })
          balancer_.before_task(*this);
        run(task);
        // A victim of this rank waits for the notice that its tasks were
        // copied.
        if (std::exchange(is_notice_on_its_way_, false)) rma::flush_all();
        if (polls_) [[unlikely]]
          rma::poll();
        balancer_.between_tasks(*this);
      }
    }
    rma::flush_all();
  }

  void begin_next() override { balancer_.begin_next(); }

  SchedulerStats stats() const override {
    SchedulerStats stats = balancer_.stats() + stats_;
    stats.spawns = counts_.created;
    stats.deaths = counts_.ended;
    return stats;
  }

  OwnCounts own_counts() const override {
    OwnCounts counts = own_counts_of(balancer_);
    counts.push_back({"dropped", dropped_});
    return counts;
  }

  // ---------------------------------------------------------- for the balancer

  using Task = Slot;

  // Makes one attempt: calls take(loot) with what the victim's queue gives; at
  // most `most` tasks, where the queue takes a limit. Cost: the queue's.
  template <typename Take>
  Outcome take_from(int victim, Take take, size_t most = SIZE_MAX) {
    const auto remote = queue_.remote(victim);
    const auto take_loot = [&](std::span<const Slot> loot) {
      is_notice_on_its_way_ = true;
      take(loot);
    };
    if constexpr (requires { queue_.steal(remote, take_loot, most); })
      return queue_.steal(remote, take_loot, most);
    else
      return queue_.steal(remote, take_loot);
  }
  // The same, into the own queue, as part of an attempt that is traced.
  Outcome steal(int victim) {
    return take_from(victim, [this](std::span<const Slot> loot) {
      trace::stole(loot.size_bytes(), stats_.stolen_bytes);
      keep(loot);
    });
  }
  // Makes tasks of others this rank's: its youngest, and not offered before its
  // next push, pop or share.
  void keep(std::span<const Slot> loot) {
    overflow_.add(loot.subspan(house(loot)));
  }

  // Whether others have added tasks that it has not taken yet. Cost: none.
  bool has_mail() const { return !inbox_.empty(); }
  // Takes what others have added, as far as there is room. Cost: none.
  void take_mail() { empty_inbox(2 * capacity_); }
  // Whether it has no task, nor mail. Cost: none.
  bool empty() const {
    return queue_.empty() && overflow_.empty() && inbox_.empty();
  }
  // Whether tasks wait in ordinary memory, for room in the queue.
  bool overflows() const { return !overflow_.empty(); }
  // Lets thieves have some, where they have none left. Cost: that of a push.
  void share() {
    overflow_.offer(queue_);
    if constexpr (SharesByAndBy<Queue>) queue_.share();
  }
  // Lets thieves have all of them. False: they could have them already, or
  // cannot now. Cost: that of the queue's.
  bool offer_all() {
    if constexpr (CanOfferAll<Queue>) {
      overflow_.offer(queue_);
      return queue_.offer_all();
    }
    share();
    return false;
  }
  // How many tasks thieves can take from `rank`'s queue. Cost: 1 get.
  uint64_t offered(int rank) const requires TellsWhatItOffers<Queue> {
    return queue_.offered(queue_.remote(rank));
  }
  const TaskCounts& counts() const { return counts_; }

 private:
  // A slot where its closure can be called, unlike those of a queue.
  struct alignas(kMaxTaskAlign) RunningSlot : Slot {};

  // A task for another rank's inbox, and its turn there.
  struct Outgoing {
    int rank;
    typename Inbox<Slot>::Turn turn;
    Slot task;
  };

  static Slot slot_of(const PoolTask& type, const void* closure,
                      uint16_t bits) {
    Slot task;
    task.fill(type, closure, bits);
    return task;
  }

  // Rank whose bag or inbox a task for `rank` goes to.
  int address_of(int rank) {
    if constexpr (DirectsMail<Balancer>)
      return balancer_.address_of(rank);
    else
      return rank;
  }

  void run(const RunningSlot& task) {
    rma::charge(cost::kCopyByte, sizeof(Slot));
    if (is_wanted(task)) [[likely]]
      run_task(task.type(), task.closure);
    else
      ++dropped_;
    ++counts_.ended;
  }
  bool is_wanted(const RunningSlot& task) const {
    if (early_end_.is_seen()) [[unlikely]]
      return false;
    if constexpr (DropsTasks<Balancer>)
      return task.bits() == 0 || balancer_.is_wanted(task.bits());
    else
      return true;
  }

  // Calls use() on top of the task that runs. False: it does not, since too
  // many tasks run so already.
  template <typename Use>
  bool nested(Use use) {
    const auto* const frame =
        static_cast<const std::byte*>(__builtin_frame_address(0));
    const auto* const outermost = nested_from_;
    if (outermost == nullptr) nested_from_ = frame;
    const bool has_room = nested_from_ - frame <= kMostNested;
    if (has_room) use();
    nested_from_ = outermost;
    return has_room;
  }

  // Adds a task where the queue has no room.
  [[gnu::noinline]] void add_to_full(const PoolTask& type, const void* closure,
                                     uint16_t bits) {
    if (overflow_.size() < capacity_ || std::exchange(left_its_place_, false)) {
      overflow_.add(slot_of(type, closure, bits));
    } else if (!nested([&] { run({slot_of(type, closure, bits)}); })) {
      bag_too_small();
    }
  }

  bool put(Outgoing& out) {
    if (!inbox_.put(out.rank, out.turn, out.task)) return false;
    if constexpr (DirectsMail<Balancer>) balancer_.mail_sent(out.rank);
    return true;
  }
  [[gnu::noinline]] void wait_to_put(const Outgoing& out) {
    outgoing_.push_back(out);
    while (true) {
      std::erase_if(outgoing_, [this](Outgoing& o) { return put(o); });
      if (outgoing_.empty()) return;
      rma::flush_all();
      if (!make_room_for_others()) rma::idle();
    }
  }

  // Others may wait for this rank as it waits for them. Takes what they have
  // added here, lets thieves have it, and runs a task where there is too much.
  // False: it has run none.
  bool make_room_for_others() {
    empty_inbox(2 * capacity_);
    share();
    if (overflow_.size() < 2 * capacity_ || !others_have_tasks_for_it()) {
      if constexpr (HelpsOthers<Balancer, BagOf>)
        balancer_.while_others_wait(*this);
      return false;
    }
    const bool ran = nested([this] {
      RunningSlot task;
      left_its_place_ = overflow_.take_youngest(&task);
      run(task);
      balancer_.between_tasks(*this);
    });
    if (!ran) take_whatever_there_is();
    return ran;
  }

  // Takes tasks without a bound: nobody else may be able to.
  void take_whatever_there_is() {
    empty_inbox(SIZE_MAX);
    if constexpr (HelpsOthers<Balancer, BagOf>)
      balancer_.while_others_wait(*this);
  }

  bool others_have_tasks_for_it() const {
    if constexpr (HelpsOthers<Balancer, BagOf>)
      return !inbox_.empty() || balancer_.others_have_tasks(*this);
    else
      return !inbox_.empty();
  }

  // Takes what there is in the inbox, as long as fewer than `most` tasks wait
  // in ordinary memory, and puts it into the queue or there.
  void empty_inbox(size_t most) {
    if (!inbox_.empty()) [[unlikely]]
      take_from_inbox(most);
  }
  [[gnu::noinline]] void take_from_inbox(size_t most) {
    Slot task;
    while (overflow_.size() < most && inbox_.take(&task)) {
      if (overflow_.empty() && !queue_.full())
        queue_.push(task);
      else
        overflow_.add(task);
      if constexpr (DirectsMail<Balancer>) balancer_.mail_taken();
    }
  }

  // Puts loot into the queue as far as there is room, oldest first. Returns how
  // many.
  size_t house(std::span<const Slot> loot) {
    size_t housed = 0;
    if constexpr (TakesLoot<Queue>) {
      housed = std::min(loot.size(), queue_.room());
      queue_.push_all(loot.first(housed));
    } else {
      for (; housed < loot.size() && !queue_.full(); ++housed)
        queue_.push(loot[housed]);
    }
    return housed;
  }

  // Takes the youngest task. False: this rank has none, nor had its inbox any.
  bool next(RunningSlot* task) {
    empty_inbox(2 * capacity_);
    if (!overflow_.empty()) [[unlikely]]
      return next_of_overflow(task);
    return queue_.pop(task);
  }
  // Takes the youngest of overflow_, before the queue's, which are older; the
  // oldest of overflow_ go to the queue, where it has room again.
  [[gnu::noinline]] bool next_of_overflow(RunningSlot* task) {
    overflow_.offer(queue_);
    left_its_place_ = overflow_.take_youngest(task);
    return left_its_place_ || queue_.pop(task);
  }

  Queue queue_;
  const size_t capacity_;  // of the queue
  Inbox<Slot> inbox_;
  Balancer balancer_;
  const EarlyEnd early_end_;
  const bool hooked_add_;
  const bool polls_ = rma::self().poll_at_spawn;
  TaskCounts counts_;
  // Number of ended tasks that were dropped, not run.
  uint64_t dropped_ = 0;
  SchedulerStats stats_;
  Overflow<Queue> overflow_;
  // Whether the running task was taken from overflow_, and has added none
  // there.
  bool left_its_place_ = false;
  // Tasks that found no room in other ranks' inboxes, and for which tasks of
  // this rank wait in add_at.
  std::vector<Outgoing> outgoing_;
  bool is_notice_on_its_way_ = false;
  // The frame of the first of the tasks that are run at once; or null.
  const std::byte* nested_from_ = nullptr;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_BAG_H_
