// A task in a queue or an inbox: its closure, its type, and a few bits.

#ifndef MAGPIE_COMMON_TASK_POOL_SLOT_H_
#define MAGPIE_COMMON_TASK_POOL_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <typeinfo>

#include "common/run/type_info.h"

namespace magpie {

// The largest closure of a task, in bytes.
inline constexpr uint32_t kMaxTaskBytes = 192;
inline constexpr uint32_t kMaxTaskAlign = 64;

// Bit of a task that can be cancelled. The other 15 are the pool's own.
inline constexpr uint16_t kCancelable = 1;

// What a pool knows of a type of tasks. It lies at the same address on all
// ranks, so that the address names the type everywhere.
struct PoolTask {
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

// A task's type and the bits, in one word: the type's address, which is the
// same on all ranks and has 48 bits, and above it the bits.
class TypeAndBits {
 public:
  TypeAndBits() = default;
  TypeAndBits(const PoolTask& task, uint16_t bits)
      : word_(reinterpret_cast<uintptr_t>(&task) | uint64_t{bits} << kShift) {}

  const PoolTask& type() const {
    return *reinterpret_cast<const PoolTask*>(word_ &
                                              ((uint64_t{1} << kShift) - 1));
  }
  uint16_t bits() const { return static_cast<uint16_t>(word_ >> kShift); }

 private:
  static constexpr int kShift = 48;
  uint64_t word_;
};

// A task whose closure has at most kBytes. It is moved as bytes; the closure is
// called from where it is aligned.
template <size_t kBytes>
struct Slot {
  static bool is_filled_by(const PoolTask& task) {
    return task.type.closure_size == kBytes;
  }

  std::byte closure[kBytes];
  TypeAndBits type_and_bits;

  static Slot of(const PoolTask& task, const void* its_closure, uint16_t bits) {
    Slot slot;
    slot.type_and_bits = {task, bits};
    std::memcpy(slot.closure, its_closure, task.type.closure_size);
    return slot;
  }
  // Makes this slot such a one. REQUIRES: is_filled_by(task).
  [[gnu::always_inline]] void fill(const PoolTask& task,
                                   const void* its_closure, uint16_t bits) {
    type_and_bits = {task, bits};
    std::memcpy(closure, its_closure, kBytes);
  }

  const PoolTask& type() const { return type_and_bits.type(); }
  uint16_t bits() const { return type_and_bits.bits(); }
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
