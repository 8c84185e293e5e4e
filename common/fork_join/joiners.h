// Where threads that wait for a task leave their locations, for ways to join in
// which whoever ends a task goes on with them.
//
//     [ Entry: state | ... joiner ][ result ... ][ joiners 2 to N ]
//       ^ Handle                    ^ aligned as the result's type asks
//
// A task's only consumer is 0, and several are 1 to N (runtime.h). Each has a
// bit of the state, and a place for its location: the first's, or only one's,
// is in the entry.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOINERS_H_
#define MAGPIE_COMMON_FORK_JOIN_JOINERS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/fork_join/task_entries.h"
#include "common/rma/rma.h"
#include "common/run/type_info.h"

namespace magpie {

// Bit that a consumer sets in the state.
inline constexpr uint64_t kJoined = 4;
constexpr uint64_t joined_by(uint32_t consumer) { return kJoined << consumer; }
// Bits that all consumers can have set.
inline constexpr uint64_t kJoinedByAny =
    joined_by(TypeInfo::kMostConsumers + 1) - kJoined;
static_assert((kJoinedByAny & kShared) == 0);

// Bits that a task's other consumers can have set in its state: for
// require_unclaimed.
constexpr uint64_t others_than(uint32_t consumer) {
  return consumer == 0 ? 0 : kShared | (kJoinedByAny & ~joined_by(consumer));
}

// Calls use(consumer) for each that has joined.
template <typename Use>
void for_each_joined(uint64_t state, Use use) {
  uint64_t joined = (state & kJoinedByAny) / kJoined;
  for (; joined != 0; joined &= joined - 1)
    use(static_cast<uint32_t>(std::countr_zero(joined)));
}

// Offset of the other joiners from the result.
template <typename SavedThread>
constexpr size_t joiners_after(size_t result_bytes) {
  constexpr size_t kAlign = alignof(SavedThread);
  return (result_bytes + kAlign - 1) / kAlign * kAlign;
}
// What follows an entry: the result, and the joiners of all consumers but one.
template <typename SavedThread>
constexpr size_t bytes_behind(const TypeInfo& type) {
  if (type.consumers == 1) return type.result_size;
  return joiners_after<SavedThread>(type.result_size) +
         (type.consumers - 1) * sizeof(SavedThread);
}
// Where a consumer leaves its location. `Entry` has a member `joiner`, of a
// thread layer's SavedThread.
template <typename Entry>
auto joiner_of(rma::RemotePtr<Entry> e, uint32_t consumer,
               size_t result_bytes) {
  using SavedThread = decltype(Entry::joiner);
  if (consumer <= 1) return e.field(&Entry::joiner);
  return rma::RemotePtr<SavedThread>{
      e.rank, retval_of(e).offset + joiners_after<SavedThread>(result_bytes) +
                  (consumer - 2) * sizeof(SavedThread)};
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_JOINERS_H_
