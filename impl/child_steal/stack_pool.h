// Stacks for tasks, one for each that has started and not ended (cluster22
// §IV-B): memory of the calling rank, used last in, first out, so that as few
// as possible are ever touched.
//
// Addresses are reserved for all of them, at once. Each stack lies at the upper
// end of a range of twice its size:
//
//     [ gap: inaccessible ][ stack ........... | Stack ]
//                          ^ low                       ^ end of the range
//
// A fault in a gap prints an error (rma::TaskStacks). A gap is a mapping of
// its own, of which a process has some 65,000: stacks beyond kGuarded have an
// accessible gap and a canary at its upper end, which is looked at when the
// task on the stack suspends or ends. Until then an overflow harms nobody, up
// to a stack's size past the end.
//
// Thread safety: belongs to one rank. Invariants:
//   1. Ranges [0, made_) are accessible, and each is in use or on the free
//      list.

#ifndef MAGPIE_IMPL_CHILD_STEAL_STACK_POOL_H_
#define MAGPIE_IMPL_CHILD_STEAL_STACK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/rma/rma.h"

namespace magpie::child_steal {

class StackPool {
 public:
  // Upper end of a stack: a task's first frame lies below it. It is the pool's,
  // also while the stack is in use.
  struct alignas(64) Stack {
    Stack* next;
    // Canary beyond the stack's end; null where a guard page is there.
    uint64_t* canary;
  };

  // No limit: as many stacks as there are addresses for.
  static constexpr size_t kMany = ~size_t{0};

  // Makes at most `most` stacks. `overflow` is the error message for one that
  // is exhausted. Tells the network where tasks run. stack_bytes is rounded up
  // to pages.
  StackPool(size_t stack_bytes, size_t most, const char* overflow);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Takes a free stack. Prints an error and ends the job when memory or
  // addresses are exhausted.
  [[gnu::always_inline]] Stack* take() {
    if (++in_use_ > in_use_max_) in_use_max_ = in_use_;
    if (free_ == nullptr) [[unlikely]]
      make();
    return std::exchange(free_, free_->next);
  }

  // Gives a stack back. The caller may still run on it, until somebody takes
  // it.
  [[gnu::always_inline]] void give_back(Stack* stack) {
    look(stack);
    stack->next = free_;
    free_ = stack;
    --in_use_;
  }

  // Prints an error and ends the job where the stack was exhausted and no guard
  // page saw it.
  [[gnu::always_inline]] void look(const Stack* stack) const {
    if (stack->canary != nullptr && *stack->canary != kCanary) [[unlikely]]
      rma::fatal(overflow_);
  }

  // The stack in use that holds `address`.
  Stack* of(const void* address) const {
    const auto at =
        static_cast<size_t>(static_cast<const std::byte*>(address) - begin_);
    const size_t range = 2 * stack_bytes_;
    std::byte* const end = begin_ + (at / range + 1) * range;
    return reinterpret_cast<Stack*>(end) - 1;
  }

  // Greatest number of stacks in use at once, so far.
  uint64_t in_use_max() const { return in_use_max_; }

 private:
  static constexpr uint64_t kCanary = 0x5ca1ab1e0ddba115;
  // Limits of a process, shared by its ranks: stacks with a guard page, and
  // bytes of addresses.
  static constexpr uint64_t kGuarded = 24'000;
  static constexpr size_t kAddresses = size_t{32} << 40;
  // Most bytes of addresses that a rank reserves.
  static constexpr size_t kReserve = size_t{4} << 40;

  // Adds one more stack to the free list.
  [[gnu::noinline]] void make();
  [[noreturn]] void exhausted(const char* why) const;

  const size_t stack_bytes_;
  const char* const overflow_;
  std::byte* begin_ = nullptr;
  size_t ranges_;
  size_t made_ = 0;
  const size_t guarded_;
  Stack* free_ = nullptr;
  uint64_t in_use_ = 0;
  uint64_t in_use_max_ = 0;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_STACK_POOL_H_
