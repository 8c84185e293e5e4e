// Run-to-completion threads: a task is a function call. Where it has to wait,
// the scheduler is called on top of it, and the join is *buried* until all that
// runs above it has ended (cluster22 §IV-B).
//
// Meant for fork-join. With futures a task may come to wait for one that is
// buried under it, which would never end: the job then ends with an error
// (burials.h).
//
// Thread safety: belongs to one rank. Invariants:
//   1. A task on the stack can go on when all that lies on top of it has ended.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RTC_H_
#define MAGPIE_IMPL_CHILD_STEAL_RTC_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/context/context.h"
#include "common/fork_join/seam_types.h"
#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "impl/child_steal/burials.h"
#include "impl/child_steal/stack_pool.h"
#include "impl/child_steal/threads.h"

namespace magpie::child_steal {

class RtC {
 public:
  static constexpr uint64_t kStackBytes = 16 << 20;
  static constexpr char kStackBytesHelp[] =
      "stack of all tasks of a rank; it limits how deep they nest, and how "
      "many joins are buried";
  static constexpr bool kBuries = true;
  static constexpr bool kJoinsRunTheirOwn = true;
  static size_t heap_bytes() { return Burials::heap_bytes(); }

  // Collective.
  explicit RtC(uint64_t stack_bytes)
      : stacks_(stack_bytes, 1,
                "the stack of tasks is exhausted, by tasks that nest and joins "
                "that are buried; raise --stack_bytes"),
        stack_(stacks_.take()),
        lowest_(reinterpret_cast<std::byte*>(stack_)) {}

  // Runs body() on top of the caller. Cost: no operation.
  template <typename Body>
  [[gnu::always_inline]] void call(const Body& body) {
    std::byte here;
    lowest_ = std::min(lowest_, &here);
    body();
  }
  template <typename Body>
  void start(const Body& body) {
    call(body);
  }

  // Runs other tasks on top of the caller, which waits, until the task is done.
  template <typename Rank>
  void wait(Rank& rank, const Handle& task) {
    if (rank.is_started_here(task)) for_ever();
    stacks_.look(stack_);
    ++waiting_;
    // Others are to see which stolen tasks this rank runs (Tasks::started).
    rma::flush_all();
    burials_.block(task);
    const auto done = [&] { return rank.is_done(task); };
    uint64_t failures = 0;
    const auto failed = [&] {
      if (++failures >= kSeldom && std::has_single_bit(failures) &&
          burials_.is_for_ever(
              task, [&](const Handle& t) { return rank.started_on(t); }))
        for_ever();
    };
    bool buried = false;
    Descriptor other;
    while (rank.search(&other, done, failed)) {
      burials_.unblock();
      buried_joins_ += !std::exchange(buried, true);
      do {
        rank.start(other);
      } while (!done() && rank.pop(&other));
      burials_.block(task);
    }
    burials_.unblock();
    --waiting_;
  }

  // Runs the scheduler, which lies below all tasks.
  template <typename Rank, typename Root>
  void run(Rank& rank, const Root* root) {
    auto all = [&] {
      if (root != nullptr) call(*root);
      Descriptor task;
      const auto over = [&] { return rank.is_over(); };
      while (rank.pop(&task) || rank.search(&task, over)) rank.start(task);
    };
    context::call_on_stack(
        stack_, [](void* f) { (*static_cast<decltype(all)*>(f))(); }, &all);
    stacks_.look(stack_);
  }

  // Number of joins that wait now.
  uint64_t waiting() const { return waiting_; }
  OwnCounts own_counts() const {
    return {{"buried_joins", buried_joins_},
            {"stacks_max", 1, OwnCount::kMost}};
  }
  uint64_t stack_bytes_max() const {
    return static_cast<uint64_t>(reinterpret_cast<std::byte*>(stack_) -
                                 lowest_);
  }

 private:
  // Failed attempts to steal before a join first looks whether it waits for
  // ever.
  static constexpr uint64_t kSeldom = 16;

  [[noreturn]] static void for_ever() {
    rma::fatal(
        "deadlock: a task joins one that is buried under it, which futures "
        "allow; run-to-completion threads are for fork-join");
  }

  StackPool stacks_;
  StackPool::Stack* const stack_;
  Burials burials_;
  uint64_t waiting_ = 0;
  // Number of joins on top of which another task was run, so far.
  uint64_t buried_joins_ = 0;
  // Lowest frame of a task so far.
  std::byte* lowest_;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_RTC_H_
