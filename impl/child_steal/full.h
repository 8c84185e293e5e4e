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
// Who starts a strand or goes on with one continues when that has ended or
// waits: the scheduler, or a join that runs other tasks first.
//
// Thread safety: belongs to one rank. Invariants:
//   1. back_ is where the execution goes on that has last started or continued
//      the running strand; null on the scheduler's own stack.
//   2. A join is in waiting_ or running, or one of its strand runs or waits, or
//      it has started the strand that runs.
//   3. A stack is in use from its task's start to its end.

#ifndef MAGPIE_IMPL_CHILD_STEAL_FULL_H_
#define MAGPIE_IMPL_CHILD_STEAL_FULL_H_

#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "impl/child_steal/descriptor.h"
#include "impl/child_steal/stack_pool.h"
#include "impl/child_steal/wait_queue.h"

namespace magpie::child_steal {

class Full {
 public:
  static constexpr uint64_t kStackBytes = 32 << 10;
  static constexpr char kStackBytesHelp[] =
      "stack of each task that has started";
  // Who waits suspends.
  static constexpr bool kBuries = false;
  static constexpr size_t heap_bytes() { return 0; }

  explicit Full(uint64_t stack_bytes)
      : stack_bytes_(stack_bytes),
        stacks_(
            stack_bytes, StackPool::kMany,
            [](void*) {
              return "the stack of a task is exhausted; raise --stack_bytes";
            },
            nullptr) {}

  // Runs body() on top of a join that waits for it. Cost: no operation; two
  // switches of stacks.
  template <typename Body>
  [[gnu::always_inline]] void call(Body body) {
    const StackPool::Stack stack = take_stack();
    context::call_on_stack(
        stack.top(), [](void* body) { (*static_cast<Body*>(body))(); }, &body);
    stacks_.give_back(stack);
  }

  // Runs body(), a task that the caller does not wait for. Returns when it has
  // ended or waits.
  template <typename Body>
  void start(const Body& body) {
    Strand<Body> strand = {this, take_stack(), &body};
    void (*below)(context::Context*, Strand<Body>*) =
        [](context::Context* starter, Strand<Body>* strand) {
          strand->self->back_ = starter;
          context::start_on_stack(strand->stack.top(), &run<Body>, strand);
        };
    context::Context* const outer = back_;
    context::save_and_call(below, &strand);
    back_ = outer;
  }

  // The calling task waits. Returns when the task is done.
  template <typename Rank>
  void wait(Rank&, const Handle& task) {
    Waiting me = {.task = task};
    waiting_.push(&me);  // line 16
    stacks_.look(stacks_.of(&me));
    context::switch_to(&me.context, back_);  // line 17
  }

  // The scheduler, on the rank's ordinary stack.
  template <typename Rank, typename Root>
  void run(Rank& rank, const Root* root) {
    if (root != nullptr) start(*root);
    for (Descriptor task;;) {
      Waiting* ready = nullptr;
      const auto look = [&] { ready = next_if_ready(rank); };
      if (rank.pop(&task) ||
          rank.search([&] { return ready != nullptr || may_end(rank); }, look,
                      [&] { return !waiting_.empty(); }, &task)) {
        rank.start(task);
      } else if (ready != nullptr) {
        go_on(*ready);
      } else {
        return;
      }
    }
  }

  uint64_t waiting() const { return waiting_.size(); }
  uint64_t buried_joins() const { return 0; }
  uint64_t stacks_max() const { return stacks_.in_use_max(); }
  uint64_t stack_bytes_max() const {
    return stacks_.in_use_max() * stack_bytes_;
  }

 private:
  template <typename Body>
  struct Strand {
    Full* self;
    StackPool::Stack stack;
    const Body* body;
  };

  [[gnu::always_inline]] StackPool::Stack take_stack() {
    rma::charge(rma::Cost::kTaskStack);
    return stacks_.take();
  }

  // `arg` and what it names are the starter's: gone when the task first waits.
  template <typename Body>
  static void run(void* arg) {
    const Strand<Body> strand = *static_cast<Strand<Body>*>(arg);
    Body body = *strand.body;
    body();
    strand.self->stacks_.give_back(strand.stack);
    context::resume(strand.self->back_);
  }

  // Source: cluster22 §III-A: after each failed attempt to steal, one of those
  // that wait, first in, first out.
  template <typename Rank>
  Waiting* next_if_ready(Rank& rank) {
    if (waiting_.empty()) return nullptr;
    Waiting* const first = waiting_.pop();
    if (rank.is_done(first->task)) return first;
    waiting_.push(first);
    return nullptr;
  }

  void go_on(const Waiting& ready) {
    rma::charge(rma::Cost::kContextSwitch);
    context::Context* const outer = back_;
    context::switch_to(&back_, ready.context);
    back_ = outer;
  }

  template <typename Rank>
  bool may_end(Rank& rank) const {
    return rank.is_over() && waiting_.empty();
  }

  const uint64_t stack_bytes_;
  StackPool stacks_;
  WaitQueue waiting_;
  context::Context* back_ = nullptr;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_FULL_H_
