// The thread entry, through which a joined and a joining thread meet wherever
// they are.
//
// It lies on the rank where the thread was spawned; its location and generation
// are the thread's handle. Source: cluster22 Fig. 4, lines 22-25. `flag` is
// called `state` here, since it is a set of bits, above them the generation.
//
//     [ ThreadEntry: state | joiner 0 ][ retval ... ][ joiners 1 to N-1 ]
//       ^ Handle                        ^ aligned as the result's type asks
//
// A thread with N consumers has a bit and a joiner for each; the result is
// where it is with one.
//
// Invariants:
//   1. `state` starts as kLive and the thread's generation, before the handle
//      is known to anybody (an exclusive phase); see task_entry.h.
//   2. The joined thread sets kDone once, after the result was put: by a plain
//      store where its parent was still in the queue, since then nobody else
//      has the handle (cluster22 §III-A, the fast path; an exclusive phase),
//      and by fetch_add otherwise.
//   3. A consumer sets its bit once, by fetch_add, after its location was put
//      to its joiner; or it sees kDone, and then sets nothing.
//   4. Of two fetch_adds the first comer wins, and touches neither the entry
//      nor the joining thread's frames afterwards. The loser, who sees the
//      other's bit, goes on with the join and frees the entry.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
#define MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_

#include <cstddef>
#include <cstdint>

#include "common/fork_join/task_entry.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

// What a consumer sets in the state.
inline constexpr uint64_t kJoined = 4;
constexpr uint64_t joined_by(uint32_t consumer) { return kJoined << consumer; }

// `SavedThread` is the thread layer's name for a suspended thread.
template <typename SavedThread>
struct alignas(16) ThreadEntry {
  rma::Word state;
  // The suspended consumer 0; one without frames: it discarded.
  SavedThread joiner;
};

// Where the other joiners begin, from the result on.
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
// Where a consumer leaves its location.
template <typename SavedThread>
rma::RemotePtr<SavedThread> joiner_of(
    rma::RemotePtr<ThreadEntry<SavedThread>> e, uint32_t consumer,
    size_t result_bytes) {
  if (consumer == 0) return e.field(&ThreadEntry<SavedThread>::joiner);
  return {e.rank, retval_of(e).offset +
                      joiners_after<SavedThread>(result_bytes) +
                      (consumer - 1) * sizeof(SavedThread)};
}

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
