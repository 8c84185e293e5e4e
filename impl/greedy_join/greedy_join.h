// Greedy join: the continuation of a join is run by whoever arrives last, at
// once.
//
// Source: cluster22 §III-A, Fig. 4. die() and join() follow its lines; what the
// thread layer does of them (saving, evacuating, resuming) is behind the
// ThreadLayer concept. With one consumer a thread that becomes ready is always
// resumed by the one who made it ready, so there is no queue of ready threads
// here.
//
// Thread safety: an instance belongs to one rank. Invariants: see
// thread_entry.h.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_
#define MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_

#include <concepts>
#include <cstring>

#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "impl/greedy_join/thread_entry.h"

namespace magpie::greedy_join {

// What greedy join asks of threads: see impl/uniaddr/threads.h for the meaning
// of each.
template <typename T>
concept ThreadLayer = requires(T threads, typename T::Context* parent,
                               typename T::SavedThread saved,
                               void (*child)(typename T::Context*, const void*,
                                             const void*, uint64_t),
                               bool (*stay)(const typename T::SavedThread&)) {
  { T::self() } -> std::same_as<T&>;
  { T::fork(child, nullptr, nullptr, 0) } -> std::same_as<void>;
  { threads.begin_child(parent) } -> std::same_as<void>;
  { threads.end_child(parent) } -> std::same_as<bool>;
  { T::suspend(stay) } -> std::same_as<void>;
  threads.leave_empty_region();
  threads.leave_for(saved);
  { threads.stats() } -> std::same_as<SchedulerStats&>;
  { saved.frames } -> std::convertible_to<rma::RemotePtr<std::byte>>;
};

// What it asks of the memory for thread entries, which any rank may free
// (cluster22 §III-B).
template <typename H>
concept RemoteHeap = requires(H heap, size_t bytes,
                              rma::RemotePtr<std::byte> object, void* arg) {
  {
    heap.allocate(bytes, bytes, bytes)
    } -> std::same_as<rma::RemotePtr<std::byte>>;
  {
    heap.recycled(bytes)
    } -> std::same_as<void*>;  // at most 1 KiB, here; or null
  { heap.free_here(arg) } -> std::same_as<void>;
  { heap.free(object) } -> std::same_as<void>;
  { heap.live_objects() } -> std::same_as<uint64_t>;
};

template <ThreadLayer Threads, RemoteHeap Heap>
class GreedyJoin : public Threads {
 public:
  using SavedThread = typename Threads::SavedThread;
  using Entry = ThreadEntry<SavedThread>;
  using EntryPtr = rma::RemotePtr<Entry>;

  // Collective.
  template <typename ThreadOptions>
  GreedyJoin(const ThreadOptions& thread_options, uint64_t entry_bytes)
      : Threads(thread_options),
        entries_(entry_bytes, "the memory of thread entries", "--entry_bytes") {
  }

  static GreedyJoin& self() {
    return static_cast<GreedyJoin&>(Threads::self());
  }

  // A new entry on the calling rank. Cost: no operation.
  Entry* new_entry(const TypeInfo& type) {
    Entry* const entry =
        reinterpret_cast<Entry*>(entries_
                                     .allocate(sizeof(Entry) + type.result_size,
                                               type.result_align, sizeof(Entry))
                                     .local());
    entry->state = rma::Word(0);  // invariant 1
    return entry;
  }

  // As new_entry, where a small enough one lies ready; null otherwise.
  [[gnu::always_inline]] Entry* recycled_entry(size_t result_bytes) {
    Entry* const entry =
        static_cast<Entry*>(entries_.recycled(sizeof(Entry) + result_bytes));
    if (entry != nullptr) [[likely]]
      entry->state = rma::Word(0);
    return entry;
  }

  // An entry of the calling rank, for everybody.
  static EntryPtr pointer_to(const Entry* entry) {
    return {rma::rank(),
            static_cast<uint64_t>(reinterpret_cast<const std::byte*>(entry) -
                                  rma::self().heap_origin)};
  }

  // Ends a thread that was spawned on `home`, the instance of rank e.rank,
  // which has the entry at `entry`; both are looked at only where the thread
  // has not left that rank. Returns when its parent is still below the caller
  // on the stack, to be continued by returning; otherwise not at all. Cost:
  // parent still here: none. Else put, fetch_add; the loser also get
  // (location), get (frames) and what freeing them costs.
  [[gnu::always_inline]] static void die(GreedyJoin& home, Entry* entry,
                                         EntryPtr e, const void* retval,
                                         size_t bytes,
                                         typename Threads::Context* parent) {
    if (here(e)) [[likely]] {
      copy(entry + 1, retval, bytes);  // line 27
      ++home.stats().deaths;
      if (home.end_child(parent)) [[likely]] {  // lines 28-29
        // Line 30; invariant 2. Who steals the parent sees it: the push that
        // offers it is a store behind this one.
        entry->state.store_relaxed(kDone);
        return;  // line 31
      }
    } else {
      rma::put(retval_of(e), retval, bytes);  // line 27
      ++self().stats().deaths;
      self().end_child(parent);  // false: the parent stayed behind, or was
                                 // stolen, where we came from
    }
    self().die_without_parent(e);  // lines 32-40
  }

  // Waits for a thread, fetches its result and frees the entry. The caller may
  // be left on another rank. Cost: entry here and thread done: none. Else get
  // (flag), get (result), free; and where the thread still runs put, fetch_add.
  [[gnu::noinline]] static void join(EntryPtr e, void* result, size_t bytes) {
    rma::charge(rma::Cost::kJoin);
    if ((self().state(e) & kDone) == 0) wait_for(e);  // lines 42-50
    self().get_retval(e, result, bytes);              // line 51
    self().free_entry(e);                             // line 52
  }

  // As join where the entry is here and the thread done: the usual case,
  // without a call. Does nothing and returns false otherwise.
  [[gnu::always_inline]] static bool join_done(EntryPtr e, void* result,
                                               size_t bytes) {
    if (rma::kBackend.sim != nullptr || !here(e)) [[unlikely]]
      return false;
    Entry* const entry = e.local();
    if ((entry->state.load() & kDone) == 0) [[unlikely]]
      return false;
    GreedyJoin& home = self();
    copy(result, entry + 1, bytes);
    home.entries_.free_here(entry);
    return true;
  }

  // As join, but does not wait and takes no result: whoever comes last frees
  // the entry.
  static void discard(EntryPtr e) {
    if ((self().state(e) & kDone) == 0) {
      rma::put(rma::remote_field(e, &Entry::joiner), SavedThread{});
      rma::flush(e.rank);
      if ((rma::fetch_add(state_of(e), kJoined) & kDone) == 0) return;
    }
    self().free_entry(e);
  }

  // This rank's copy of the root's closure.
  const void* root_closure() const { return root_closure_; }
  void set_root_closure(const void* closure) { root_closure_ = closure; }

  uint64_t live_entries() { return entries_.live_objects(); }

 private:
  static rma::RemotePtr<rma::Word> state_of(EntryPtr e) {
    return rma::remote_field(e, &Entry::state);
  }

  // The joined thread's side of the race; its parent has been stolen.
  [[noreturn, gnu::noinline]] void die_without_parent(EntryPtr e) {
    rma::flush(e.rank);  // the result before the flag
    const uint64_t state = rma::fetch_add(state_of(e), kDone);  // line 33
    if ((state & kJoined) == 0) this->leave_empty_region();     // lines 34-35
    const SavedThread joiner =
        rma::get(rma::remote_field(e, &Entry::joiner));  // line 37
    if (!joiner.frames) {                                // it discarded
      free_entry(e);
      this->leave_empty_region();
    }
    ++this->stats().die_losers;
    this->leave_for(joiner);  // lines 38-40
  }

  // The joining thread's side. Returns when the joined one is done, possibly on
  // another rank.
  static void wait_for(EntryPtr e) {
    Threads::suspend([e](const SavedThread& me) {          // line 44
      rma::put(rma::remote_field(e, &Entry::joiner), me);  // line 45
      rma::flush(e.rank);
      const uint64_t state = rma::fetch_add(state_of(e), kJoined);  // line 46
      const bool lost = (state & kDone) != 0;  // lines 47-50
      if (lost) ++self().stats().join_losers;
      return lost;
    });
  }

  // Entries on the calling rank are memory: no operation.
  static bool here(EntryPtr e) { return e.rank == rma::rank(); }

  uint64_t state(EntryPtr e) {
    return here(e) ? e.local()->state.load() : rma::get_word(state_of(e));
  }

  void get_retval(EntryPtr e, void* result, size_t bytes) {
    if (here(e)) [[likely]] {
      copy(result, retval_of(e).local(), bytes);
    } else {
      rma::get(result, {e.rank, retval_of(e).offset}, bytes);
    }
  }

  void free_entry(EntryPtr e) { entries_.free({e.rank, e.offset}); }

  // Most results are one word; a call of memcpy would cost more than the rest
  // of the fast path.
  static void copy(void* to, const void* from, size_t bytes) {
    if (bytes == 8) [[likely]] {
      std::memcpy(to, from, 8);
    } else if (bytes != 0) {
      std::memcpy(to, from, bytes);
    }
  }

  Heap entries_;
  const void* root_closure_ = nullptr;
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_
