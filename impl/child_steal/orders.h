// The order in which a rank of Full threads (full.h) looks for what it runs
// next: a join whose task has ended, its own youngest task, one of others.
//
// README.md says why that matters, and has the three orders: AfterFailedSteals
// (cluster22 §III-A), Rotation (the system with which cluster22 measured), and
// FrontFirst.
//
// Thread safety: an order belongs to one rank.

#ifndef MAGPIE_IMPL_CHILD_STEAL_ORDERS_H_
#define MAGPIE_IMPL_CHILD_STEAL_ORDERS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "common/context/context.h"
#include "common/fork_join/seam_types.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "impl/child_steal/threads.h"

namespace magpie::child_steal {

// A join that waits for `task`; lies in the frame of that join.
struct Waiting {
  Handle task;
  // Context in which it goes on.
  context::Context* context = nullptr;
  // For a list of starters.
  Waiting* next = nullptr;
};

// Joins that wait for tasks which run elsewhere, in the order in which they
// came (cluster22 §III-A, Fig. 3, line 16).
using WaitQueue = std::deque<Waiting*>;
inline Waiting* take_first(WaitQueue& queue) {
  Waiting* const first = queue.front();
  queue.pop_front();
  return first;
}

// One instance on each rank.
//
//   O::kJoinsRunTheirOwn  See TiedThreads.
//
//   begin(starter)        Called in Full::start, before the caller is saved in
//                         starter.context and the new strand runs.
//   resumed(starter)      Called first by the saved caller when it goes on.
//   leave()               Called by a strand that has ended: goes on elsewhere.
//   wait(rank, me)        Called by a strand: returns when
//                         rank.is_done(me.task).
//   run(rank)             Runs what the rank finds, from its ordinary stack,
//                         until rank.is_over() and nobody waits.
//   waiting()             Number of those that wait now, the ordinary stack not
//                         counted.
//
// wait and run are templates over the rank: the concept does not check them.
template <typename O>
concept SchedulerOrder = std::default_initializable<O> &&
    requires(O order, const O& seen, Waiting& starter) {
  { O::kJoinsRunTheirOwn } -> std::convertible_to<bool>;
  { order.begin(starter) } -> std::same_as<void>;
  { order.resumed(starter) } -> std::same_as<void>;
  { order.leave() } -> std::same_as<void>;
  { seen.waiting() } -> std::same_as<uint64_t>;
};

// A scheduler on the rank's ordinary stack starts strands and goes on with
// those that are ready. A strand that ends or waits goes back to the
// execution that has started or continued it: the scheduler, or a join that
// runs other tasks first.
//
// Invariants:
//   1. back_ is the execution that has started or last continued the running
//      strand; null on the scheduler's own stack.
//   2. Each join is in waiting_, or runs, or lies below another one of its
//      strand that runs or waits, or has started the strand that runs.
template <bool kFrontFirst>
class Scheduler {
 public:
  static constexpr bool kJoinsRunTheirOwn = true;

  void begin(Waiting& starter) {
    starter.next = back_;
    back_ = &starter;
  }
  void resumed(const Waiting& starter) { back_ = starter.next; }
  [[noreturn]] void leave() { context::resume(back_->context); }

  // Source: cluster22 Fig. 3.
  template <typename Rank>
  void wait(Rank&, Waiting& me) {
    waiting_.push_back(&me);                          // line 16
    context::switch_to(&me.context, back_->context);  // line 17
  }

  template <typename Rank>
  void run(Rank& rank) {
    for (Descriptor task;;) {
      Waiting* ready = nullptr;
      const auto look = [&] { ready = next_if_ready(rank); };
      if constexpr (kFrontFirst) look();
      if (ready == nullptr &&
          (rank.pop(&task) ||
           rank.search(
               &task, [&] { return ready != nullptr || may_end(rank); },
               look))) {
        rank.start(task);
      } else if (ready != nullptr) {
        go_on(*ready);
      } else {
        return;
      }
    }
  }

  uint64_t waiting() const { return waiting_.size(); }

 private:
  // Takes the longest waiting one where it is ready, else puts it last. Source:
  // cluster22 §III-A.
  template <typename Rank>
  Waiting* next_if_ready(Rank& rank) {
    if (waiting_.empty()) return nullptr;
    Waiting* const first = take_first(waiting_);
    if (rank.is_done(first->task)) return first;
    waiting_.push_back(first);
    return nullptr;
  }

  void go_on(const Waiting& ready) {
    rma::charge(cost::kContextSwitch);
    Waiting here;
    begin(here);
    context::switch_to(&here.context, ready.context);
    resumed(here);
  }

  template <typename Rank>
  bool may_end(Rank& rank) const {
    return rank.is_over() && waiting_.empty();
  }

  WaitQueue waiting_;
  // List of the starters, the latest first.
  Waiting* back_ = nullptr;
};

using AfterFailedSteals = Scheduler<false>;
using FrontFirst = Scheduler<true>;

// No scheduler: all that wait, the rank's ordinary stack too, take turns. Each
// looks at its flag, else runs its rank's youngest task or one that it steals.
// It goes to the back of the queue each time, and the task that it has found
// runs in its place, else the front of the queue.
//
// Invariants:
//   1. Each strand and the ordinary stack are in waiting_, but for the one that
//      runs.
class Rotation {
 public:
  static constexpr bool kJoinsRunTheirOwn = false;

  void begin(Waiting& starter) { waiting_.push_back(&starter); }
  void resumed(const Waiting&) { fruitless_ = 0; }
  // Goes on with the front of the queue, ready or not.
  [[noreturn]] void leave() {
    rma::charge(cost::kContextSwitch);
    context::resume(take_first(waiting_)->context);
  }

  template <typename Rank>
  void wait(Rank& rank, Waiting& me) {
    Descriptor task;
    do {
      if (rank.pop(&task) || rank.try_to_steal(&task)) {
        rank.start(task);
      } else {
        give_way(me);
      }
    } while (!rank.is_done(me.task));
    fruitless_ = 0;
  }

  template <typename Rank>
  void run(Rank& rank) {
    Waiting me;
    for (Descriptor task;;) {
      if (rank.pop(&task)) {
        rank.start(task);
      } else if (waiting_.empty()) {
        if (!rank.search(&task, [&] { return rank.is_over(); })) return;
        rank.start(task);
      } else if (rank.try_to_steal(&task)) {
        rank.start(task);
      } else {
        give_way(me);
      }
    }
  }

  uint64_t waiting() const { return waiting_.size(); }

 private:
  // Goes on with the front of the queue; `me` becomes its last.
  void give_way(Waiting& me) {
    // On one rank, if nobody finds anything in a whole round, nobody ever will.
    if (rma::size() == 1 && ++fruitless_ > waiting_.size() + 1)
      rma::fatal("deadlock: every task waits for another one");
    rma::idle();
    rma::charge(cost::kContextSwitch);
    Waiting* const front = take_first(waiting_);
    waiting_.push_back(&me);
    context::switch_to(&me.context, front->context);
  }

  WaitQueue waiting_;
  // Number of turns since the last that found something.
  size_t fruitless_ = 0;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_ORDERS_H_
