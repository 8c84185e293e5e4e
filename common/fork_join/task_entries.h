// The entry of a task, in which the task and its join meet: the parts that all
// policies of joining have in common, and a rank's memory for entries. For
// runtimes.
//
// An entry has a state, which tells whether the task has ended and whose entry
// it is; and a handle, which names it. It lies on the rank where its task was
// spawned, in a RemoteHeap, and begins with its state:
//
//     [ state | ... ][ result ... ]
//       ^ Handle
//
// A handle carries its task's generation, the number of its spawn on that rank,
// and so does the state: a handle that was used up is told from that of the
// task that has its entry now. When its owner has the entry back, its memory
// begins with an even word: kLive is not set. Until then the word before it
// tells that another rank has freed it (remote_heap.h). Which bits of the state
// are set, and when, is the policy's choice.
//
// Thread safety: an instance of TaskEntries belongs to one rank. All ranks
// operate on entries; the static functions are for entries of any rank.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_ENTRIES_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_ENTRIES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "common/flags/flags.h"
#include "common/fork_join/seam_types.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/run/held.h"
#include "common/run/type_info.h"

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

// ------------------------------------------------------------------- joiners
//
// Places where threads that wait for a task leave their locations, for ways to
// join in which whoever ends a task goes on with them. A task's only consumer
// is 0, and several are 1 to N (runtime.h). Each has a bit of the state, and a
// place for its location: the first's, or only one's, is in the entry, those of
// the others are behind the result.

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

// Place where a consumer leaves its location. `Entry` has a member `joiner`, of
// a thread layer's SavedThread.
template <typename Entry>
auto joiner_of(rma::RemotePtr<Entry> e, uint32_t consumer,
               size_t result_bytes) {
  using SavedThread = decltype(Entry::joiner);
  if (consumer <= 1) return e.field(&Entry::joiner);
  constexpr size_t kAlign = alignof(SavedThread);
  return rma::RemotePtr<SavedThread>{
      e.rank, retval_of(e).offset +
                  (result_bytes + kAlign - 1) / kAlign * kAlign +
                  (consumer - 2) * sizeof(SavedThread)};
}
// Size of what follows an entry: the result, and the joiners of all consumers
// but one.
template <typename Entry>
size_t bytes_behind(const TypeInfo& type) {
  if (type.consumers == 1) return type.result_size;
  const rma::RemotePtr<Entry> e = {};
  const auto end = joiner_of(e, type.consumers + 1, type.result_size);
  return end.offset - retval_of(e).offset;
}

// -------------------------------------------------------------------- entries

// --entry_bytes, the flag that sizes the memory for entries.
struct EntryOptions {
  uint64_t bytes = 16 << 20;

  HeapOptions heap() const {
    return {.bytes = bytes,
            .what = "the memory of task entries",
            .flag = "--entry_bytes",
            .freed_twice = kClaimedTwice};
  }
};

inline void add_options(CLI::App& app, EntryOptions& options) {
  flags::add_bytes(
      app, "--entry_bytes", options.bytes,
      "memory for tasks whose result is not yet joined, on each rank", 1 << 10,
      1ull << 36);
}

// `EntryType` begins with `rma::Word state`; the result follows it. For tasks
// with several consumers it has `rma::Word finished`: a bit for each that is
// through with the entry, and for each that there is not. Whoever sets the last
// of them frees it.
template <typename EntryType, RemoteHeap Heap>
class TaskEntries {
 public:
  using Entry = EntryType;
  using EntryPtr = rma::RemotePtr<Entry>;

  // Collective.
  explicit TaskEntries(const HeapOptions& options) : heap_(options) {}
  static size_t heap_bytes(const HeapOptions& options) {
    return Heap::heap_bytes(options);
  }

  // The entry of a new task on the calling rank, with `bytes` for what follows
  // it. Counts the task in *spawns, whose value becomes its generation. Its
  // state is set, and `finished` of several consumers; nothing else. Cost: no
  // operation.
  [[gnu::always_inline]] Entry* create(uint64_t* spawns, uint32_t consumers,
                                       size_t bytes) {
    static_assert(sizeof(Entry) % 16 == 0, "an entry is alignas(16)");
    Entry* const entry =
        reinterpret_cast<Entry*>(heap_.allocate(sizeof(Entry) + bytes));
    new (&entry->state) rma::Word(new_state(++*spawns));
    if (consumers != 1) [[unlikely]]
      share(entry, consumers);
    return entry;
  }

  // The same for any type, with its result behind the entry, and the joiners of
  // all consumers but one where the entry has a joiner. Small tasks' entries
  // have one size, so that there is nothing to compute.
  [[gnu::always_inline]] Entry* create(uint64_t* spawns, const TypeInfo& type) {
    if (type.is_small) [[likely]]
      return create(spawns, 1, TypeInfo::kSmallBytes);
    return create_any(spawns, type);
  }

  // Whether create() takes only a few instructions for a small task.
  [[gnu::always_inline]] bool can_create_at_once() const {
    constexpr size_t kBytes = sizeof(Entry) + TypeInfo::kSmallBytes;
    if constexpr (requires { heap_.has_ready(kBytes); })
      return heap_.has_ready(kBytes);
    return false;
  }

  // Whether the entry lies on the calling rank: then it is memory.
  static bool here(EntryPtr e) { return e.rank == rma::rank(); }
  static rma::RemotePtr<rma::Word> state_of(EntryPtr e) {
    return e.field(&Entry::state);
  }

  // The state that the task's entry has now; 0 if the entry was freed by a rank
  // that is not its owner, and its owner has not noticed yet. Prints an error
  // and ends the job where the handle stands for no task. Cost: none here; else
  // 1 get.
  [[gnu::always_inline]] static uint64_t look(const Handle& task) {
    const EntryPtr e = entry_of<Entry>(task);
    if (here(e)) [[likely]]
      return e.local()->state.load();
    return look_elsewhere(task);
  }

  // Copies the result for a consumer, and lets go of the entry. REQUIRES: the
  // task has ended. Cost: none here; else 1 get; and that of let_go.
  [[gnu::always_inline]] void take_result(const Handle& task, uint32_t consumer,
                                          void* result, size_t bytes) {
    const EntryPtr e = entry_of<Entry>(task);
    if (here(e)) [[likely]] {
      copy_task_bytes(result, e.local() + 1, bytes);
    } else {
      rma::get(result, retval_of(e), bytes);
    }
    let_go(task, consumer);
  }

  // Says that the consumer is through with the entry: frees it, unless others
  // of several are to come. Prints an error and ends the job where it has said
  // so before. REQUIRES: the task has ended. Cost: what the heap's free costs;
  // with several consumers 1 fetch_add, and for the last one also that.
  [[gnu::always_inline]] void let_go(const Handle& task, uint32_t consumer) {
    if (consumer == 0 || is_last(entry_of<Entry>(task), consumer)) free(task);
  }

  // Waits for the task in place, and returns true, where the caller must stay
  // on its rank. Cost: that of look(), for each look.
  static bool has_waited_in_place(const Handle& task) {
    if (!must_stay()) return false;
    wait_in_place([&] {
      const uint64_t state = look(task);
      require_unclaimed(task, state, kShared | kJoinedByAny);
      return (state & kDone) != 0;
    });
    return true;
  }
  [[gnu::always_inline]] void free(const Handle& task) {
    heap_.free(entry_of<std::byte>(task));
  }
  // The same of an entry on the calling rank.
  [[gnu::always_inline]] void free_own(Entry* entry) {
    heap_.free_own(reinterpret_cast<std::byte*>(entry));
  }
  // Number of this rank's entries that are not free.
  uint64_t live_entries() { return heap_.live_objects(); }

 private:
  // Bit that consumer 1, 2, ... sets when it is through with an entry.
  static constexpr uint64_t finished_by(uint32_t consumer) {
    return uint64_t{1} << (consumer - 1);
  }
  static constexpr uint64_t kAllFinished =
      finished_by(TypeInfo::kMostConsumers + 1) - 1;

  [[gnu::noinline]] Entry* create_any(uint64_t* spawns, const TypeInfo& type) {
    size_t bytes = type.result_size;
    if constexpr (requires { &Entry::joiner; })
      bytes = bytes_behind<Entry>(type);
    return create(spawns, type.consumers, bytes);
  }
  [[gnu::noinline]] static void share(Entry* entry, uint32_t consumers) {
    check(consumers > 1 && consumers <= TypeInfo::kMostConsumers,
          "a task has no consumer, or too many");
    entry->state = rma::Word(entry->state.own_value() | kShared);
    new (&entry->finished)
        rma::Word(kAllFinished & -finished_by(consumers + 1));
  }

  [[gnu::noinline]] static bool is_last(EntryPtr e, uint32_t consumer) {
    const uint64_t mine = finished_by(consumer);
    const uint64_t before = rma::fetch_add(e.field(&Entry::finished), mine);
    if ((before & mine) != 0) rma::fatal(kClaimedTwice);
    return (before | mine) == kAllFinished;
  }

  [[gnu::noinline]] static uint64_t look_elsewhere(const Handle& task) {
    require_task(task);
    const rma::RemotePtr<rma::Word> at = state_of(entry_of<Entry>(task));
    struct {
      uint64_t freed, state;
    } seen;
    rma::get(&seen, {at.rank, at.offset - sizeof(seen.freed)}, sizeof(seen));
    return seen.freed != 0 ? 0 : seen.state;
  }

  Heap heap_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_TASK_ENTRIES_H_
