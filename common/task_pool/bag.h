// One rank's bag of tasks: a queue from which others steal, an inbox, and the
// loop that runs tasks, youngest first, until there are none on any rank. How a
// dry bag gets some is up to its load balancer (load_balancer.h).
//
// Source: icpp21 §2.1, in whose order the functions stand.
//
// Tasks lie in slots of one size a run; the queue is over slots. So a program
// of 24-byte tasks copies 32 bytes each, and not 200.
//
// Thread safety: belongs to one rank; what others touch is the queue, the inbox
// and the termination's words. Invariants:
//   1. A task is counted as created before its rank looks for the end and
//      before it is in an inbox, and as ended when its closure has returned or,
//      in a run that ends early, when its turn had come and it was dropped.
//   2. Every task is in one place: a queue, an inbox, an overflow_, or running.
//      A rank looks for others when it has none (a manager runs none).
//   3. Tasks in overflow_ move to the queue, the oldest first, when there is
//      room; the rank runs the youngest of them before those in the queue.

#ifndef MAGPIE_COMMON_TASK_POOL_BAG_H_
#define MAGPIE_COMMON_TASK_POOL_BAG_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>

#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/run/program.h"
#include "common/stealing/inbox.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/termination.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie {

struct BagOptions {
  uint64_t queue_bytes = 1 << 20;
  uint64_t inbox_bytes = 64 << 10;
  SearchOptions search;

  // Capacity such that a ring of it has no places to spare.
  template <typename Slot>
  QueueOptions queue() const {
    return {.capacity = std::bit_floor(queue_bytes / sizeof(Slot)),
            .empty_check = false};  // the papers' thieves claim at once
  }
  template <typename Inbox>
  size_t inbox() const {
    return std::max<size_t>(inbox_bytes / Inbox::kTaskBytes, 1);
  }
};

// `Balancer` is a LoadBalancer, or a reference to one.
template <typename Slot, StealableQueue Queue, typename Balancer>
class BagOf final : public Bag {
 public:
  // The balancer is made of `its`. Collective.
  template <typename... Its>
  BagOf(const BagOptions& options, const EarlyEnd& early_end, Its&&... its)
      : queue_(options.template queue<Slot>()),
        inbox_(options.template inbox<Inbox<Slot>>()),
        balancer_(std::forward<Its>(its)...),
        early_end_(early_end) {
    if (!rma::is_simulated() && !balancer_.hooks_adds())
      filling_bytes = sizeof(Slot::closure);
    rma::self().status->show("spawned", counts_.created);
    rma::self().status->show("ended", counts_.ended);
  }

  // Bytes of the symmetric heap that it takes, without the balancer's.
  static size_t heap_bytes(const BagOptions& options) {
    return Queue::heap_bytes(options.template queue<Slot>()) +
           Inbox<Slot>::heap_bytes(options.template inbox<Inbox<Slot>>());
  }

  // ---------------------------------------------------------------------- add
  bool add_at_once(const PoolTask& type, const void* closure) override {
    rma::assume_not_simulated();
    const auto fill = [&](Slot* at) { at->fill(type, closure); };
    if (!push_at_once(queue_, fill)) [[unlikely]]
      return false;
    ++counts_.created;
    return true;
  }
  void add(const PoolTask& type, const void* closure) override {
    rma::charge(cost::kCopyByte, sizeof(Slot));
    put(Slot::of(type, closure));
    ++counts_.created;
    if (balancer_.hooks_adds()) balancer_.after_push(queue_);
  }

  // ----------------------------------------------------- get next, termination

  void run(bool has_root) override {
    Slot place;
    // The others begin with a search, as Search asks them to.
    while (std::exchange(has_root, false) || balancer_.when_dry(*this)) {
      while (const Slot* const task = get_next(&place)) {
        balancer_.before_task(*this);
        run(*task);
        if (is_notice_on_its_way_ | polls_) [[unlikely]]
          progress();
        balancer_.between_tasks(*this);
      }
    }
    rma::flush_all();
  }
  void begin_next() override { balancer_.begin_next(); }

  // Whether it has no task, nor mail. For the balancer, as is what follows.
  bool empty() const { return queue_.empty() && !overflows() && !has_mail(); }
  const TaskCounts& counts() const { return counts_; }

  // ----------------------- release (a queue acquires by itself, when dry)

  // Lets thieves have some, where they have none left. Cost: that of a push.
  void share() {
    offer_waiting(overflow_, queue_);
    if constexpr (requires { queue_.share(); }) queue_.share();
  }
  // Lets thieves have all. False: they could, or none can be offered now.
  bool offer_all() {
    offer_waiting(overflow_, queue_);
    if constexpr (requires { queue_.offer_all(); }) return queue_.offer_all();
    return false;
  }
  // Number of tasks that thieves can take from a rank's queue. Cost: 1 get.
  uint64_t offered(int rank) const {
    return queue_.offered(queue_.remote(rank));
  }

  // -------------------------------------------------------------------- steal

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
  // Makes tasks of others its youngest. Those that find room in the queue are
  // not offered before it next shares.
  void keep(std::span<const Slot> loot) {
    if constexpr (requires { queue_.push_all(loot); }) {
      const size_t room = overflows() ? 0 : queue_.room();
      const size_t housed = std::min(loot.size(), room);
      queue_.push_all(loot.first(housed));
      loot = loot.subspan(housed);
    }
    for (const Slot& task : loot) put(task);
  }

  // --------------------------------------------------- mail: tasks for a rank

  void add_at(int rank, const PoolTask& type, const void* closure) override {
    const int to = balancer_.address_of(rank);
    if (to == rma::rank()) return add(type, closure);
    ++counts_.created;
    if (inbox_.send(to, Slot::of(type, closure))) [[likely]]
      balancer_.mail_sent(to);
    else
      wait_for_room();
  }
  // Whether there is mail; takes what an inbox holds, while others may put
  // more. Cost: none.
  bool has_mail() const { return !inbox_.empty(); }
  void take_mail() {
    Slot task;
    for (size_t n = inbox_.capacity(); n > 0 && inbox_.take(&task); --n) {
      put(task);
      balancer_.mail_taken();
    }
  }
  // Whether tasks wait in ordinary memory, for room in the queue.
  bool overflows() const { return !overflow_.empty(); }

  SchedulerStats stats() const override {
    SchedulerStats stats = balancer_.stats() + stats_;
    stats.spawns = counts_.created;
    stats.deaths = counts_.ended;
    return stats;
  }
  OwnCounts own_counts() const override {
    OwnCounts counts = balancer_.own_counts();
    counts.push_back({"dropped", dropped});
    return counts;
  }

 private:
  // Takes the youngest task, which lies in *place, or in the queue until the
  // next push. Null: there is none here.
  [[gnu::always_inline]] const Slot* get_next(Slot* place) {
    take_mail();
    if (overflows()) [[unlikely]] {
      share();
      if (overflows()) {
        *place = overflow_.back();
        overflow_.pop_back();
        return place;
      }
    }
    return queue_.pop();
  }
  [[gnu::always_inline]] void run(const Slot& task) {
    rma::charge(cost::kCopyByte, sizeof(Slot));
    if (early_end_.is_seen()) [[unlikely]]
      ++dropped;
    else
      run_task(*task.type, task.closure);
    ++counts_.ended;
  }

  // A victim waits for the notice that its tasks were copied.
  void progress() {
    if (std::exchange(is_notice_on_its_way_, false)) rma::flush_all();
    if (polls_) rma::poll();
  }

  // Makes a task the youngest: in the queue or, where that has no room, in
  // overflow_, from where nobody steals.
  void put(const Slot& task) {
    if (!overflows() && !queue_.full()) return queue_.push(task);
    overflow_.push_back(task);
    offer_waiting(overflow_, queue_);
  }

  // Others may wait for this rank, too: takes what they have added, and lets
  // thieves have it.
  [[gnu::noinline]] void wait_for_room() {
    while (!inbox_.settle([this](int rank) { balancer_.mail_sent(rank); })) {
      rma::flush_all();
      take_mail();
      share();
      balancer_.while_others_wait(*this);
      rma::idle();
    }
  }

  Queue queue_;
  Inbox<Slot> inbox_;
  Balancer balancer_;
  const EarlyEnd early_end_;
  const bool polls_ = rma::self().poll_at_spawn;
  TaskCounts counts_;
  SchedulerStats stats_;
  std::list<Slot> overflow_;  // the oldest first
  bool is_notice_on_its_way_ = false;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_BAG_H_
