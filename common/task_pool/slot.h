// A task in a queue or an inbox: its closure and its type.

#ifndef MAGPIE_COMMON_TASK_POOL_SLOT_H_
#define MAGPIE_COMMON_TASK_POOL_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <typeinfo>

#include "common/rma/copies.h"
#include "common/run/type_info.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// The largest closure of a task, in bytes.
inline constexpr uint32_t kMaxTaskBytes = 192;
inline constexpr uint32_t kMaxTaskAlign = 64;

// A type of tasks, as a pool knows it. It lies at the same address on all
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
  const PoolTask* type;

  static Slot of(const PoolTask& task, const void* its_closure) {
    Slot slot;
    slot.type = &task;
    std::memcpy(slot.closure, its_closure, task.type.closure_size);
    return slot;
  }
  // Makes this slot such a one, of a closure that fills it.
  [[gnu::always_inline]] void fill(const PoolTask& task,
                                   const void* its_closure) {
    type = &task;
    copy_words(&closure, static_cast<const std::byte(*)[kBytes]>(its_closure));
  }
};

// One rank's bag of tasks, whatever their size: its class is a template of that
// (bag.h, serial.h).
class Bag {
 public:
  virtual ~Bag() = default;

  // Adds a task whose closure has `filling_bytes`, in a few instructions.
  // False: it is not added, and add() does it.
  virtual bool add_at_once(const PoolTask& type, const void* closure) = 0;
  // Add a task whose closure is no larger than the bag's slots.
  virtual void add(const PoolTask& type, const void* closure) = 0;
  virtual void add_at(int rank, const PoolTask& type, const void* closure) = 0;
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
  // Number of tasks that have ended without having been run.
  uint64_t dropped = 0;
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
