// Greedy join: the continuation of a join is run by whoever arrives last, at
// once.
//
// Source: cluster22 §III-A, Fig. 4. DIE (lines 26-40) is die_in_full, which die
// shortens; JOIN (lines 41-53) is join, wait_for and announce. The thread
// layer's part of them (saving, evacuating, resuming) is behind the ThreadLayer
// concept. A thread that makes another one ready resumes it at once; of several
// consumers it resumes the first, and the others are the thread layer's to
// offer (cluster22 §V-D).
//
// A joined and a joining thread meet through the thread entry (task_entries.h),
// wherever they are. Source: cluster22 Fig. 4, lines 22-25. `flag` is called
// `state` here, since it is a set of bits, above them the generation.
//
//     [ ThreadEntry: state | finished | joiner ][ retval ... ][ joiners ]
//       ^ Handle
//
// A thread with several consumers has a joiner for each (cluster22 §V-D).
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. `state` starts as kLive and the thread's generation, before the handle
//      is known to anybody (an exclusive phase); see task_entries.h.
//   2. The joined thread sets kDone once, after the result was put: by a plain
//      store where its parent was still in the queue, since then nobody else
//      has the handle (cluster22 §III-A, the fast path; an exclusive phase),
//      and by fetch_add otherwise.
//   3. A consumer sets its bit once, by fetch_add, after its location was put
//      to its joiner; or it sees kDone, and then sets nothing.
//   4. Of two fetch_adds the first comer wins, and touches neither the entry
//      nor the joining thread's frames afterwards. The loser, which sees the
//      other's bit, goes on with the join and frees the entry.
//   5. With several consumers invariant 4 holds of the joined thread and each
//      of them. The entry is freed by the thread that sets the last bit of
//      `finished`: a consumer sets its own when it has the result, and the
//      joined thread those of consumers that had discarded it. It resumes the
//      first of the joiners that it has found last, so the entry lives as long
//      as it reads.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_
#define MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/fork_join/join_policy.h"
#include "common/fork_join/task_entries.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie::greedy_join {

// `SavedThread` is the thread layer's name for a suspended thread.
template <typename SavedThread>
struct alignas(16) ThreadEntry {
  rma::Word state;
  // Bits of several consumers that are through: see TaskEntries.
  rma::Word finished;
  // The suspended consumer, of several the first; without frames, it discarded.
  SavedThread joiner;
};

template <ThreadLayer ThreadsType, RemoteHeap Heap>
class GreedyJoin
    : public TaskEntries<ThreadEntry<typename ThreadsType::SavedThread>, Heap>,
      public NoReadyThreads {
 public:
  using Threads = ThreadsType;
  using SavedThread = typename Threads::SavedThread;
  using Entry = ThreadEntry<SavedThread>;
  using Entries = TaskEntries<Entry, Heap>;
  using EntryPtr = typename Entries::EntryPtr;
  using Entries::Entries;

  // Cost: no operation.
  [[gnu::always_inline]] Handle create(const TypeInfo& type) {
    Entry* const entry = Entries::create(&stats_.spawns, type);  // invariant 1
    return make_handle(rma::heap_ptr(entry), entry->state.own_value());
  }

  // DIE, lines 26-40. Here stands what it takes of a thread with a small result
  // whose parent no thief is at; such a thread ends where it was created.
  // Cost: none where the parent was not stolen; else a flush and a fetch_add,
  // and away from home 1 put. The loser of the race pays also a get (frames)
  // and what freeing them costs; for each consumer that waits a get, for each
  // that discarded what let_go costs.
  [[gnu::always_inline]] static void die(const TypeInfo& type,
                                         const Handle& thread,
                                         context::Context* parent,
                                         const void* retval) {
    Parts& rank = Parts::here();
    if (!copies_at_once(type.result_size) ||
        !rank.threads.reclaim_at_once(parent)) [[unlikely]]
      return die_in_full(type, thread, parent, retval);
    Entry* const entry = entry_of<Entry>(thread).local();
    ++rank.joins.stats_.deaths;
    copy_at_once(entry + 1, retval, type.result_size);  // line 27
    set_done(entry);                                    // lines 30-31
  }

  // Waits for a thread, fetches its result and lets go of the entry. The caller
  // may be left on another rank. Cost: entry here and thread done: none. Else
  // get (state), get (result), free; and where the thread still runs put and
  // fetch_add. With several consumers a fetch_add more for each, and one free.
  [[gnu::always_inline]] static void join(const Handle& thread,
                                          uint32_t consumer, void* result,
                                          size_t bytes) {
    const EntryPtr e = entry_of<Entry>(thread);
    if (!Entries::here(e)) [[unlikely]]
      return finish_join(thread, consumer, result, bytes);
    Entry* const entry = e.local();
    GreedyJoin& joins = self();
    // The size of a word is asked for first: one comparison then tells that the
    // result can be copied, and how.
    if (entry->state.load() != done_state_of(thread) ||
        (bytes != kWordBytes && !copies_at_once(bytes))) [[unlikely]]
      return finish_join(thread, consumer, result, bytes);
    copy_at_once(result, entry + 1, bytes);  // line 51
    joins.free_own(entry);                   // line 52
  }

  // Does what join does, but does not wait and takes no result: whoever comes
  // last frees the entry.
  static void discard(Handle thread, uint32_t consumer, size_t bytes) {
    const uint64_t state = Entries::look(thread);
    require_unclaimed(thread, state, others_than(consumer));
    if ((state & kDone) == 0 &&
        !announce(thread, consumer, bytes, SavedThread{}))
      return;
    self().let_go(thread, consumer);
  }

  // spawns, deaths, outstanding joins.
  const SchedulerStats& stats() const { return stats_; }
  OwnCounts own_counts() const {
    return {{"join_losers", join_losers_},
            {"die_losers", die_losers_},
            {"die_losers_ns", die_losers_ns_}};
  }

 private:
  using Parts = JoinParts<Threads, GreedyJoin>;
  [[gnu::always_inline]] static GreedyJoin& self() {
    return Parts::here().joins;
  }

  // The whole of DIE.
  [[gnu::noinline]] static void die_in_full(const TypeInfo& type, Handle thread,
                                            context::Context* parent,
                                            const void* retval) {
    const EntryPtr e = entry_of<Entry>(thread);
    const size_t bytes = type.result_size;
    Threads& threads = Parts::here().threads;
    GreedyJoin& joins = self();
    ++joins.stats_.deaths;
    if (Entries::here(e)) {
      copy_task_bytes(e.local() + 1, retval, bytes);  // line 27
      // The parent can only be where the thread was created.
      if (Parts::here().reclaim_parent(parent))  // lines 28-29
        return set_done(e.local());              // lines 30-31
    } else {
      rma::put(retval_of(e), retval, bytes);  // line 27
    }
    rma::flush(e.rank);  // the result before the flag
    const uint64_t state = joins.fetch_add_flag(e, kDone);  // line 33
    const uint64_t flagged_at = rma::now();
    if ((state & (kLive | kDone)) != kLive) rma::fatal(kClaimedTwice);
    SavedThread next;
    for_each_joined(state, [&](uint32_t consumer) {  // line 34
      const SavedThread joiner =
          rma::get(joiner_of(e, consumer, bytes));  // line 37
      if (!joiner.frames)                           // it discarded
        joins.let_go(thread, consumer);
      else if (!next.frames)
        next = joiner;
      else
        threads.make_ready(joiner);
    });
    if (!next.frames) {
      joins.arrived_.reset();
      threads.exit_to_scheduler();  // line 35
    }
    ++joins.die_losers_;
    joins.die_lost_at_ = flagged_at;
    threads.exit_to(next);  // lines 38-40
  }
  // Sets kDone by a plain store; invariant 2. A thief of the parent sees it:
  // the push that offers the parent is a store after this one.
  [[gnu::always_inline]] static void set_done(Entry* entry) {
    const uint64_t running = entry->state.own_value();
    check((running & (kJoinedByAny | kDone)) == 0, "a joiner came too early");
    entry->state.store_relaxed(running | kDone);
  }

  // The rest of join.
  [[gnu::noinline]] static void finish_join(Handle thread, uint32_t consumer,
                                            void* result, size_t bytes) {
    const uint64_t state = Entries::look(thread);
    require_unclaimed(thread, state, others_than(consumer));
    if ((state & kDone) == 0) wait_for(thread, consumer, bytes);  // lines 42-50
    self().take_result(thread, consumer, result,
                       bytes);  // lines 51-52
  }

  // Returns when the thread is done, possibly on another rank.
  static void wait_for(Handle thread, uint32_t consumer, size_t bytes) {
    if (Entries::has_waited_in_place(thread)) return;
    ++self().stats_.outstanding_joins;
    Parts::here().threads.suspend([=](const SavedThread& me) {  // line 44
      const bool lost = announce(thread, consumer, bytes, me);  // lines 45-50
      if (lost) ++self().join_losers_;
      return lost;
    });
    GreedyJoin& joins = self();  // perhaps of another rank now
    if (!joins.arrived_) return;
    joins.arrived_->end(trace::Event::kOutstandingJoin,
                        joins.stats_.outstanding_join_ns);
    joins.arrived_.reset();
    if (joins.die_lost_at_)
      joins.die_losers_ns_ += rma::now() - *joins.die_lost_at_;
    joins.die_lost_at_.reset();
  }

  // The consumer's side of the race. True: it comes last.
  static bool announce(Handle thread, uint32_t consumer, size_t bytes,
                       const SavedThread& me) {
    const EntryPtr e = entry_of<Entry>(thread);
    rma::put(joiner_of(e, consumer, bytes), me);  // line 45
    rma::flush(e.rank);
    const uint64_t state =
        self().fetch_add_flag(e, joined_by(consumer));  // line 46
    require_unclaimed(thread, state, others_than(consumer));
    if ((state & kDone) != 0) return true;
    self().arrived_.reset();
    return false;
  }

  // Lines 33 and 46: either side sets its flag.
  uint64_t fetch_add_flag(EntryPtr e, uint64_t flag) {
    arrived_.emplace();
    return rma::fetch_add(Entries::state_of(e), flag);
  }

  SchedulerStats stats_;
  // Numbers of lost races between a joining and a joined thread: by joining
  // ones, which went on in place, and by joined ones, which resumed the joining
  // ones.
  uint64_t join_losers_ = 0;
  uint64_t die_losers_ = 0;
  // Time of die_losers_ from after the fetch_add to the resumption, which is
  // what the papers' system counts of an outstanding join; and where it began
  // for the joining thread that goes on here next.
  uint64_t die_losers_ns_ = 0;
  std::optional<uint64_t> die_lost_at_;
  // Outstanding join of the joining thread that goes on here next (cluster22
  // §V-B): begins when a thread on this rank sets its flag as the second one. A
  // thread that waited among ready threads after that counts no time.
  std::optional<trace::Scope> arrived_;
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_GREEDY_JOIN_H_
