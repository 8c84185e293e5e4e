// The thread entry, through which a joined and a joining thread meet wherever
// they are.
//
// It lies on the rank where the thread was spawned; its location and generation
// are the thread's handle. Source: cluster22 Fig. 4, lines 22-25. `flag` is
// called `state` here, since it is a set of bits, above them the generation.
//
//     [ ThreadEntry: state | joiner ][ retval ... ]
//       ^ Handle                      ^ aligned as the result's type asks
//
// Invariants:
//   1. `state` starts as kLive and the thread's generation, before the handle
//      is known to anybody (an exclusive phase). When the entry is free, its
//      memory begins with an even word: kLive is not set; until then the word
//      before it tells that another rank has freed it (remote_heap.h). So a
//      handle that was used up is told from that of the thread that has its
//      entry now.
//   2. The joined thread sets kDone once, after the result was put: by a plain
//      store where its parent was still in the queue, since then nobody else
//      has the handle (cluster22 §III-A, the fast path; an exclusive phase),
//      and by fetch_add otherwise.
//   3. The consumer sets kJoined once, by fetch_add, after its location was put
//      to `joiner`; or it sees kDone, and then sets nothing.
//   4. Of two fetch_adds the first comer wins, and touches neither the entry
//      nor the joining thread's frames afterwards. The loser, who sees the
//      other's bit, goes on with the join and frees the entry.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
#define MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_

#include <cstdint>

#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

inline constexpr uint64_t kLive = 1;
inline constexpr uint64_t kDone = 2;
// Consumer i of a thread with several will have kJoined << i.
inline constexpr uint64_t kJoined = 4;
// Above the bits. The rank's threads are counted: two that have the same one
// are 2^32 spawns apart.
inline constexpr int kGenerationShift = 32;

// `SavedThread` is the thread layer's name for a suspended thread.
template <typename SavedThread>
struct alignas(16) ThreadEntry {
  rma::Word state;
  // The suspended consumer; one without frames: it discarded.
  SavedThread joiner;
};

constexpr uint64_t new_state(uint64_t generation) {
  return generation << kGenerationShift | kLive;
}

// A handle is the entry's location, and the thread's generation. kNoTask is one
// of rank -1, which is never here.
template <typename Entry>
Handle make_handle(rma::RemotePtr<Entry> entry, uint64_t state) {
  return {{entry.offset, state >> kGenerationShift << kGenerationShift |
                             static_cast<uint32_t>(entry.rank)}};
}
template <typename Entry>
rma::RemotePtr<Entry> entry_of(const Handle& handle) {
  return {static_cast<int32_t>(handle.w[1] & 0xffffffff), handle.w[0]};
}
// What `state` is when the thread has ended and was not claimed.
inline uint64_t done_state_of(const Handle& handle) {
  return new_state(handle.w[1] >> kGenerationShift) | kDone;
}

template <typename Entry>
rma::RemotePtr<std::byte> retval_of(rma::RemotePtr<Entry> entry) {
  return {entry.rank, entry.offset + sizeof(Entry)};
}

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
