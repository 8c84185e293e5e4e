// The simplest way to join: whoever comes, the thread that ends or the one that
// waits for it, looks under a lock whether the other was there before.
//
// To be read first; other parts are tested with it. Slow: a thread takes the
// lock of its entry even if nobody was stolen.
//
// Thread safety: an instance belongs to one rank; entries are operated on from
// all. Invariants:
//   1. `state` and the joiners are changed under the lock.
//   2. `state` has kDone when the result is in the entry.
//   3. The side that comes second, the thread or a consumer, goes on with the
//      join and lets go of the entry; the first touches nothing of it before.

#ifndef MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_
#define MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "common/fork_join/join_policy.h"
#include "common/fork_join/task_entries.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

template <typename SavedThread>
struct alignas(16) LockedEntry {
  rma::Word state;
  rma::Word finished;
  rma::Word lock;
  // Location of the only consumer or the first; without frames, it discarded.
  SavedThread joiner;
};

template <ThreadLayer ThreadsType, RemoteHeap Heap>
class LockedJoin
    : public TaskEntries<LockedEntry<typename ThreadsType::SavedThread>, Heap>,
      public NoReadyThreads {
 public:
  using Threads = ThreadsType;
  using SavedThread = typename Threads::SavedThread;
  using Entry = LockedEntry<SavedThread>;
  using Entries = TaskEntries<Entry, Heap>;
  using EntryPtr = typename Entries::EntryPtr;
  using Entries::Entries;

  // Cost: no operation.
  Handle create(const TypeInfo& type) {
    Entry* const entry = Entries::create(&stats_.spawns, type);
    new (&entry->lock) rma::Word(0);
    return make_handle(rma::heap_ptr(entry), entry->state.own_value());
  }

  // Cost: a put, a lock and an unlock, a get and a put; and for each consumer a
  // get.
  static void die(const TypeInfo& type, const Handle& thread,
                  context::Context* parent, const void* result) {
    const size_t bytes = type.result_size;
    const EntryPtr e = entry_of<Entry>(thread);
    rma::put(retval_of(e), result, bytes);
    rma::flush(e.rank);
    ++Parts::here().joins.stats_.deaths;
    // The parent can only be where the thread was created.
    if (e.rank == rma::rank() && Parts::here().reclaim_parent(parent)) {
      end(e);
      return;
    }
    Threads& threads = Parts::here().threads;
    SavedThread next;
    for_each_joined(end(e), [&](uint32_t consumer) {
      const SavedThread joiner = rma::get(joiner_of(e, consumer, bytes));
      if (!joiner.frames)
        Parts::here().joins.let_go(thread, consumer);
      else if (!next.frames)
        next = joiner;
      else
        threads.make_ready(joiner);
    });
    if (!next.frames) threads.exit_to_scheduler();
    threads.exit_to(next);
  }

  // Cost: 2 gets, a lock and an unlock, 2 puts, a get of the result, and that
  // of TaskEntries::let_go.
  static void join(Handle thread, uint32_t consumer, void* result,
                   size_t bytes) {
    Entries::has_waited_in_place(thread);
    Parts::here().threads.suspend([=](const SavedThread& me) {
      return claim(thread, consumer, bytes, me);
    });
    Parts::here().joins.take_result(thread, consumer, result, bytes);
  }
  static void discard(Handle thread, uint32_t consumer, size_t bytes) {
    if (claim(thread, consumer, bytes, SavedThread{}))
      Parts::here().joins.let_go(thread, consumer);
  }

  const SchedulerStats& stats() const { return stats_; }

 private:
  using Parts = JoinParts<Threads, LockedJoin>;

  // The thread's side. Returns the state before, which tells which
  // consumers were there.
  static uint64_t end(EntryPtr e) {
    lock(e.field(&Entry::lock));
    const uint64_t state = rma::get_word(Entries::state_of(e));
    rma::put_word(Entries::state_of(e), state | kDone);
    rma::flush(e.rank);
    unlock(e.field(&Entry::lock));
    return state;
  }

  // The consumer's side. True: the thread has ended before.
  static bool claim(Handle thread, uint32_t consumer, size_t bytes,
                    const SavedThread& me) {
    const EntryPtr e = entry_of<Entry>(thread);
    // A used up handle's lock may be anything.
    require_unclaimed(thread, Entries::look(thread), others_than(consumer));
    lock(e.field(&Entry::lock));
    const uint64_t state = rma::get_word(Entries::state_of(e));
    rma::put(joiner_of(e, consumer, bytes), me);
    rma::put_word(Entries::state_of(e), state | joined_by(consumer));
    rma::flush(e.rank);
    unlock(e.field(&Entry::lock));
    require_unclaimed(thread, state, others_than(consumer));
    return (state & kDone) != 0;
  }

  SchedulerStats stats_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_LOCKED_JOIN_H_
