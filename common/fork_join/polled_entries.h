// Entries for ways to join in which whoever waits looks again and again whether
// the task has ended: nobody but the thread that ends changes a state.

#ifndef MAGPIE_COMMON_FORK_JOIN_POLLED_ENTRIES_H_
#define MAGPIE_COMMON_FORK_JOIN_POLLED_ENTRIES_H_

#include <cstddef>
#include <cstdint>

#include "common/fork_join/task_entries.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"

namespace magpie {

// `Entry` has `uint64_t ended_at` besides: the time of the task's end, by the
// clock of the rank where it ended; 0 until then, and where that is the entry's
// rank.
template <typename Entry, RemoteHeap Heap>
class PolledEntries : public TaskEntries<Entry, Heap> {
  using Base = TaskEntries<Entry, Heap>;

 public:
  using EntryPtr = typename Base::EntryPtr;
  using Base::Base;

  // Puts the result into the entry, and then says that it is there. On the
  // entry's rank that is a store, elsewhere an addition, which a flush orders
  // after the result: whoever sees it may free the entry, and a put may come
  // once more (rma.h). True: on the entry's rank. Cost: then none; else 2
  // put_nbs, a flush and a fetch_add, without a result 1 put_nb less.
  [[gnu::always_inline]] static bool put_done(const Handle& task,
                                              const void* result,
                                              size_t bytes) {
    const EntryPtr e = entry_of<Entry>(task);
    if (!Base::here(e)) [[unlikely]]
      return put_done_elsewhere(e, result, bytes);
    Entry* const entry = e.local();
    copy_task_bytes(
        rma::plain_write(reinterpret_cast<std::byte*>(entry + 1), bytes),
        result, bytes);
    entry->state.store(entry->state.own_value() | kDone);
    return true;
  }

  // Whether the task has ended. Prints an error and ends the job where it was
  // claimed before. Cost: none here; else 1 get.
  [[gnu::always_inline]] static bool is_done(const Handle& task) {
    const uint64_t state = Base::look(task);
    if (state == new_state_of(task)) return false;
    return state == done_state_of(task) || is_done_shared(task, state);
  }
  // The entry's `ended_at`. REQUIRES: is_done(task). Cost: none here; else 1
  // get.
  static uint64_t ended_at(const Handle& task) {
    const auto at = entry_of<Entry>(task).field(&Entry::ended_at);
    return at.rank == rma::rank() ? *at.local() : rma::get(at);
  }

 private:
  [[gnu::noinline]] static bool is_done_shared(const Handle& task,
                                               uint64_t state) {
    require_unclaimed(task, state);
    return (state & kDone) != 0;
  }

  [[gnu::noinline]] static bool put_done_elsewhere(EntryPtr e,
                                                   const void* result,
                                                   size_t bytes) {
    const uint64_t now = rma::now();
    const auto at = e.field(&Entry::ended_at);
    rma::put_nb({at.rank, at.offset}, &now, sizeof(now));
    if (bytes > 0) rma::put_nb(retval_of(e), result, bytes);
    rma::flush(e.rank);
    rma::fetch_add(Base::state_of(e), kDone);
    return false;
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_POLLED_ENTRIES_H_
