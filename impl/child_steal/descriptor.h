// What stands in the queue for a task that has not started: its function and
// arguments. It means the same on every rank, so that a thief that has copied
// it has all it needs (cluster22 §II-A; 55 to 56 bytes in its Table II).
//
// A closure that is too large lies in the task's entry, where its result will
// be, until the task has started and has a copy: see tasks.h.

#ifndef MAGPIE_IMPL_CHILD_STEAL_DESCRIPTOR_H_
#define MAGPIE_IMPL_CHILD_STEAL_DESCRIPTOR_H_

#include <cstddef>

#include "common/fork_join/runtime.h"

namespace magpie::child_steal {

struct Descriptor {
  static constexpr size_t kInline = 40;

  // Type of the task; has the same address on every rank.
  const TypeInfo* type;
  Handle task;
  alignas(8) std::byte closure[kInline];

  static bool holds_closure_of(const TypeInfo& type) {
    return type.closure_size <= kInline;
  }
};
static_assert(sizeof(Descriptor) == 64);

inline bool operator==(const Handle& a, const Handle& b) {
  return a.w[0] == b.w[0] && a.w[1] == b.w[1];
}

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_DESCRIPTOR_H_
