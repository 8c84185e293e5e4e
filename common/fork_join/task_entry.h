// The entry of a task: what every one has, whatever a policy of joining keeps
// beside it. That is a state, which tells whether the task has ended and whose
// entry it is; and the handle, which names the entry. For runtimes.
//
// An entry lies on the rank where its task was spawned, in a RemoteHeap, and
// begins with its state:
//
//     [ state | ... ][ result ... ]
//       ^ Handle
//
// A handle carries its task's generation, the number of its spawn on that rank,
// and so does the state: a handle that was used up is told from that of the
// task that has its entry now. When its owner has the entry back, its memory
// begins with an even word: kLive is not set; until then the word before it
// tells that another rank has freed it, of a heap of which late users can tell
// (remote_heap.h).

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_ENTRY_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_ENTRY_H_

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/fork_join/runtime.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"

namespace magpie {

inline constexpr char kClaimedTwice[] = "a future is joined or discarded twice";

// The bits of a state; a policy may have more of them.
inline constexpr uint64_t kLive = 1;
inline constexpr uint64_t kDone = 2;
// The task has several consumers.
inline constexpr uint64_t kShared = uint64_t{1} << 31;
// The generation stands above the bits. A rank's tasks are counted: two that
// have the same generation are 2^32 spawns apart.
inline constexpr int kGenerationShift = 32;

constexpr uint64_t new_state(uint64_t generation) {
  return generation << kGenerationShift | kLive;
}

// A handle is the entry's location, and the task's generation. kNoTask
// names an entry of rank -1, which no rank is.
template <typename Entry>
Handle make_handle(rma::RemotePtr<Entry> entry, uint64_t state) {
  return {{entry.offset, state >> kGenerationShift << kGenerationShift |
                             static_cast<uint32_t>(entry.rank)}};
}
template <typename Entry>
rma::RemotePtr<Entry> entry_of(const Handle& handle) {
  return {static_cast<int32_t>(handle.w[1] & 0xffffffff), handle.w[0]};
}
// The state of the handle's entry while its task has not ended; and when it has
// ended and was not claimed.
inline uint64_t new_state_of(const Handle& handle) {
  return new_state(handle.w[1] >> kGenerationShift);
}
inline uint64_t done_state_of(const Handle& handle) {
  return new_state_of(handle) | kDone;
}

template <typename Entry>
rma::RemotePtr<std::byte> retval_of(rma::RemotePtr<Entry> entry) {
  return {entry.rank, entry.offset + sizeof(Entry)};
}

// Prints an error and ends the job where the handle stands for no task. To be
// called before the rank of its entry is asked for anything.
inline void require_task(const Handle& handle) {
  if (handle.w[1] == kNoTask.w[1])
    rma::fatal("a future that stands for no task is joined or discarded");
}
// Prints an error and ends the job where the entry's state shows that the task
// was claimed before: it is another one's now, or has bits that are not in
// `others`, which are those of the task's other consumers. To be called where
// the state is known anyway.
inline void require_unclaimed(const Handle& handle, uint64_t state,
                              uint64_t others = kShared) {
  if (((state | kDone) & ~others) != done_state_of(handle))
    rma::fatal(kClaimedTwice);
}

// The state of an entry of a heap on another rank. Where the heap tells late
// users, 0 if the entry was freed by a rank that is not its owner, who has not
// noticed yet. Cost: 1 get.
template <RemoteHeap Heap>
uint64_t state_elsewhere(rma::RemotePtr<rma::Word> state) {
  if constexpr (!Heap::kLateUsersCanTell) return rma::get_word(state);
  struct {
    uint64_t freed, state;
  } seen;
  rma::get(&seen, {state.rank, state.offset - sizeof(seen.freed)},
           sizeof(seen));
  return seen.freed != 0 ? 0 : seen.state;
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_TASK_ENTRY_H_
