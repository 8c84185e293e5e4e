// A task in a queue or an inbox: its closure, its type, and a few bits.

#ifndef MAGPIE_COMMON_TASK_POOL_SLOT_H_
#define MAGPIE_COMMON_TASK_POOL_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <typeinfo>

#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/run/type_info.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// The largest closure of a task, in bytes.
inline constexpr uint32_t kMaxTaskBytes = 192;
inline constexpr uint32_t kMaxTaskAlign = 64;

// Bit of a task that can be cancelled. The other 15 are the pool's own.
inline constexpr uint16_t kCancelable = 1;

// What a pool knows of a type of tasks. It lies at the same address on all
// ranks, so that the address names the type everywhere.
struct PoolTask {
  // Its invoke() calls a copy of the closure, which need not be aligned, and
  // makes that copy first.
  TypeInfo type;
  // The closure's type, for messages.
  const std::type_info* name;
};

// Ends the job with the what() of the exception that is being handled.
[[noreturn]] void an_exception_left_task(const PoolTask& task);

// Runs a task's closure. An exception that leaves it prints an error and ends
// the job.
[[gnu::always_inline]] inline void run_task(const PoolTask& task,
                                            const void* closure) {
  try {
    task.type.invoke(closure, nullptr);
  } catch (...) {
    an_exception_left_task(task);
  }
}

// A task whose closure has at most kBytes. It is moved as bytes.
template <size_t kBytes>
struct Slot {
  std::byte closure[kBytes];
  // The type's address, which is the same on all ranks and has 48 bits, and
  // above it the bits.
  uint64_t type_and_bits;

  static constexpr int kBitsShift = 48;

  static Slot of(const PoolTask& task, const void* its_closure, uint16_t bits) {
    Slot slot;
    slot.type_and_bits = reinterpret_cast<uintptr_t>(&task) | uint64_t{bits}
                                                                  << kBitsShift;
    std::memcpy(slot.closure, its_closure, task.type.closure_size);
    return slot;
  }
  // Makes this slot such a one, without bits, of a closure that fills it.
  [[gnu::always_inline]] void fill(const PoolTask& task,
                                   const void* its_closure) {
    type_and_bits = reinterpret_cast<uintptr_t>(&task);
    copy_words(&closure, static_cast<const std::byte(*)[kBytes]>(its_closure));
  }

  const PoolTask& type() const {
    constexpr uint64_t kAddress = (uint64_t{1} << kBitsShift) - 1;
    return *reinterpret_cast<const PoolTask*>(type_and_bits & kAddress);
  }
  uint16_t bits() const {
    return static_cast<uint16_t>(type_and_bits >> kBitsShift);
  }
};

// Which tasks a bag drops since their finish was cancelled: that is a word, the
// number of the last finish that was (constructs.h).
class Cancels {
 public:
  // Whether the finish that is open, or was open last, was cancelled.
  bool cancelled() const {
    return finish_ != 0 && cancelled_.local()->load() == finish_;
  }
  // Whether a task with these bits of its slot is to be dropped and not run.
  bool drops(uint16_t bits) const {
    return (bits & kCancelable) != 0 && cancelled();
  }

 protected:
  // Collective.
  explicit Cancels(uint64_t finish)
      : finish_(finish), cancelled_(rma::allocate<rma::Word>()) {}

  // The number of the finish that is open or was last; 0: there was none.
  uint64_t finish_;
  const rma::RemotePtr<rma::Word> cancelled_;
};

// One rank's bag of tasks, whatever their size: its class is a template of that
// (bag.h, serial.h).
class Bag {
 public:
  virtual ~Bag() = default;

  // Adds a task whose closure has `filling_bytes`, with no bits, in a few
  // instructions. False: it is not added, and add() does it.
  virtual bool add_at_once(const PoolTask& type, const void* closure) = 0;
  // Add a task whose closure is no larger than the bag's slots. Called by the
  // root or a task. `bits` are the pool's.
  virtual void add(const PoolTask& type, const void* closure,
                   uint16_t bits) = 0;
  virtual void add_at(int rank, const PoolTask& type, const void* closure,
                      uint16_t bits) = 0;
  // Runs tasks until there are none anywhere. has_root: the caller runs the
  // root, and may have tasks. Collective.
  virtual void run(bool has_root) = 0;

  // Begins a new run, in which somebody has a task already. REQUIRES: the last
  // one is over.
  virtual void begin_next() = 0;

  virtual SchedulerStats stats() const = 0;
  virtual OwnCounts own_counts() const = 0;

  // The size of closures that fill a slot; 0: nobody calls add_at_once(), as in
  // simulations.
  uint32_t filling_bytes = 0;
};

// Calls f with the smallest slot in which tasks of `task_bytes` fit.
template <typename F>
auto with_slot(uint32_t task_bytes, F f) {
  static_assert(kMaxTaskBytes == 192);
  if (task_bytes <= 24) return f.template operator()<Slot<24>>();
  if (task_bytes <= 56) return f.template operator()<Slot<56>>();
  if (task_bytes <= 120) return f.template operator()<Slot<120>>();
  return f.template operator()<Slot<192>>();
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_SLOT_H_
