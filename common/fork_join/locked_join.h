// The simplest way to join: whoever comes, the thread that ends or the one that
// waits for it, looks under a lock whether the other was there before.
//
// To be read first; other parts are tested with it. Slow: a thread takes the
// lock of its entry even if nobody was stolen.
//
// Thread safety: an instance belongs to one rank; entries are operated on from
// all. Invariants:
//   1. `state` and `waiting` are changed under the lock.
//   2. `state` has kDone when the result is in the entry.
//   3. Who comes second goes on with the join and frees the entry; who comes
//      first touches nothing of it afterwards.

#ifndef MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_
#define MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_

#include <cstddef>
#include <cstdint>

#include "common/fork_join/join_policy.h"
#include "common/fork_join/task_entries.h"
#include "common/fork_join/task_entry.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/scheduler_stats.h"

namespace magpie {

template <ThreadLayer ThreadsType, RemoteHeap Heap>
class LockedJoin {
 public:
  using Threads = ThreadsType;
  using SavedThread = typename Threads::SavedThread;

 private:
  using Parts = JoinParts<Threads, LockedJoin>;
  static constexpr uint64_t kClaimed = 4;
  struct alignas(16) Entry {
    rma::Word state;
    rma::Word lock;
    // Where the state has kClaimed: the consumer; without frames, it discarded.
    SavedThread waiting;
  };
  using Entries = TaskEntries<Entry, Heap>;
  using EntryPtr = typename Entries::EntryPtr;

 public:
  class Running {
   public:
    explicit Running(EntryPtr e) : e_(e) {}

    Handle handle() const {
      return make_handle(e_, e_.local()->state.own_value());
    }
    bool put_result(const void* result, size_t bytes) {
      rma::put(retval_of(e_), result, bytes);
      rma::flush(e_.rank);
      ++Parts::here().joins.stats_.deaths;
      return e_.rank == rma::rank();
    }
    void return_to_parent() { end(e_); }
    [[noreturn]] void leave() {
      Threads& threads = Parts::here().threads;
      if (!end(e_)) threads.exit_to_scheduler();
      const SavedThread consumer = rma::get(e_.field(&Entry::waiting));
      if (consumer.frames) threads.exit_to(consumer);
      free(e_);
      threads.exit_to_scheduler();
    }

   private:
    EntryPtr e_;
  };

  explicit LockedJoin(const HeapOptions& options) : entries_(options) {}
  static size_t heap_bytes(const HeapOptions& options) {
    return Entries::heap_bytes(options);
  }

  // Cost: no operation.
  Running create(const TypeInfo& type) {
    Entry* const entry =
        entries_.create(&stats_.spawns, type.result_size, type.result_align);
    entry->lock = rma::Word(0);
    return Running(rma::heap_ptr(entry));
  }

  // Cost: 2 gets, a lock and an unlock, 2 puts, a get of the result and a free.
  static void join(Handle thread, uint32_t, void* result, size_t bytes) {
    Parts::here().threads.suspend(
        [thread](const SavedThread& me) { return claim(thread, me); });
    Parts::here().joins.entries_.take_result(entry_of<Entry>(thread), result,
                                             bytes);
  }
  static void discard(Handle thread, uint32_t, size_t) {
    if (claim(thread, SavedThread{})) free(entry_of<Entry>(thread));
  }

  uint64_t live_entries() { return entries_.live(); }
  const SchedulerStats& stats() const { return stats_; }

 private:
  static void free(EntryPtr e) { Parts::here().joins.entries_.free(e); }

  // The thread's side. True: a consumer was there before.
  static bool end(EntryPtr e) {
    lock(e.field(&Entry::lock));
    const uint64_t state = rma::get_word(Entries::state_of(e));
    rma::put_word(Entries::state_of(e), state | kDone);
    rma::flush(e.rank);
    unlock(e.field(&Entry::lock));
    return (state & kClaimed) != 0;
  }

  // The consumer's side. True: the thread has ended before.
  static bool claim(Handle thread, const SavedThread& consumer) {
    const EntryPtr e = entry_of<Entry>(thread);
    // A used up handle's lock may be anything.
    require_unclaimed(thread, Entries::look(thread));
    lock(e.field(&Entry::lock));
    const uint64_t state = rma::get_word(Entries::state_of(e));
    rma::put(e.field(&Entry::waiting), consumer);
    rma::put_word(Entries::state_of(e), state | kClaimed);
    rma::flush(e.rank);
    unlock(e.field(&Entry::lock));
    require_unclaimed(thread, state);
    return (state & kDone) != 0;
  }

  Entries entries_;
  SchedulerStats stats_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_
