// Fully fledged threads: each task that has started has a stack of its own, and
// suspends where it has to wait (cluster22 §IV-B).
//
// Source: cluster22 Fig. 3, lines 12-21, on one rank: tasks are tied.
//
// A task that was popped in the midst of its own join runs on top of that join,
// which cannot go on before it has ended: the two, and what runs on top of
// them, are one *strand*. Other tasks begin a strand of their own. So a strand
// waits as a whole, at its innermost join, and costs one switch to leave and
// one to go on with:
//
//     scheduler   stack 1      stack 2        stack 3
//        | start -> a
//        |          | join b -> b
//        |          |           | join c: c was stolen. Waits:
//        | <------------------- |   1 and 2 stay as they are
//        | start ---------------------------> d
//        | <--------------------------------- |
//        | go on -------------> | c is done
//        |          | <-------- b has ended
//        | <------- a has ended
//
// The order (orders.h) decides what the rank goes on with when a strand has
// ended or waits.
//
// Thread safety: belongs to one rank. Invariants:
//   1. A stack is in use from its task's start to its end.

#ifndef MAGPIE_IMPL_CHILD_STEAL_FULL_H_
#define MAGPIE_IMPL_CHILD_STEAL_FULL_H_

#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/fork_join/seam_types.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/trace/scheduler_stats.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/stack_pool.h"

namespace magpie::child_steal {

template <SchedulerOrder Order>
class Full {
 public:
  static constexpr uint64_t kStackBytes = 32 << 10;
  static constexpr char kStackBytesHelp[] =
      "stack of each task that has started";
  // A task that waits suspends.
  static constexpr bool kBuries = false;
  static constexpr bool kJoinsRunTheirOwn = Order::kJoinsRunTheirOwn;
  static constexpr size_t heap_bytes() { return 0; }

  explicit Full(uint64_t stack_bytes)
      : stack_bytes_(stack_bytes),
        stacks_(stack_bytes, StackPool::kMany,
                "the stack of a task is exhausted; raise --stack_bytes") {}

  // Runs body() on top of a join that waits for it. Cost: no operation; two
  // switches of stacks.
  template <typename Body>
  [[gnu::always_inline]] void call(Body body) {
    StackPool::Stack* const stack = take_stack();
    context::call_on_stack(
        stack, [](void* body) { (*static_cast<Body*>(body))(); }, &body);
    stacks_.give_back(stack);
  }

  // Runs body(), a task that the caller does not wait for. Returns when the
  // order goes on with the caller, when the task has ended or before.
  template <typename Body>
  void start(const Body& body) {
    Waiting starter;
    order_.begin(starter);
    Strand<Body> strand = {this, &starter, take_stack(), &body};
    context::save_and_call([&strand](context::Context* starter) {
      strand.starter->context = starter;
      context::start_on_stack(strand.stack, &run<Body>, &strand);
    });
    order_.resumed(starter);
  }

  // The calling task waits. Returns when the task is done.
  template <typename Rank>
  void wait(Rank& rank, const Handle& task) {
    Waiting me = {.task = task};
    stacks_.look(stacks_.of(&me));
    order_.wait(rank, me);
  }

  // Does the whole run of this rank, from its ordinary stack.
  template <typename Rank, typename Root>
  void run(Rank& rank, const Root* root) {
    if (root != nullptr) start(*root);
    order_.run(rank);
  }

  uint64_t waiting() const { return order_.waiting(); }
  OwnCounts own_counts() const {
    return {{"stacks_max", stacks_.in_use_max(), OwnCount::kMost}};
  }
  uint64_t stack_bytes_max() const {
    return stacks_.in_use_max() * stack_bytes_;
  }

 private:
  template <typename Body>
  struct Strand {
    Full* self;
    Waiting* starter;
    StackPool::Stack* stack;
    const Body* body;
  };

  [[gnu::always_inline]] StackPool::Stack* take_stack() {
    rma::charge(cost::kTaskStack);
    return stacks_.take();
  }

  // `arg` and what it names are the starter's: gone when the task first waits.
  template <typename Body>
  static void run(void* arg) {
    const Strand<Body> strand = *static_cast<Strand<Body>*>(arg);
    Body body = *strand.body;
    body();
    strand.self->stacks_.give_back(strand.stack);
    strand.self->order_.leave();
  }

  const uint64_t stack_bytes_;
  StackPool stacks_;
  Order order_;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_FULL_H_
