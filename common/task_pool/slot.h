// A task in a queue or an inbox: its closure, its type, and a few bits to which
// a pool may give a meaning. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_SLOT_H_
#define MAGPIE_COMMON_TASK_POOL_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/task_pool/runtime.h"

namespace magpie {

// A task whose closure has at most kBytes. It is moved as bytes; the closure is
// called from where it is aligned.
template <size_t kBytes>
struct Slot {
  std::byte closure[kBytes];
  // The type's address, which is the same on all ranks and has 48 bits; above
  // it the pool's bits.
  uint64_t type_and_bits;

  [[gnu::always_inline]] void fill(const PoolTask& task,
                                   const void* its_closure,
                                   uint16_t pools_bits = 0) {
    type_and_bits = reinterpret_cast<uintptr_t>(&task) | uint64_t{pools_bits}
                                                             << kBitsShift;
    if (task.type.closure_size == kBytes) [[likely]]
      std::memcpy(closure, its_closure, kBytes);
    else
      std::memcpy(closure, its_closure, task.type.closure_size);
  }

  const PoolTask& type() const {
    return *reinterpret_cast<const PoolTask*>(
        type_and_bits & ((uint64_t{1} << kBitsShift) - 1));
  }
  uint16_t bits() const {
    return static_cast<uint16_t>(type_and_bits >> kBitsShift);
  }

 private:
  static constexpr int kBitsShift = 48;
};

// Calls f with the smallest slot in which tasks of so many bytes fit.
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
