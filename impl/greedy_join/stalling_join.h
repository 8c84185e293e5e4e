// Stalling join: a thread that finds the one that it waits for still running
// waits in a queue of its rank until that goes on with it. It never moves
// meanwhile, and nobody tells it that it could go on.
//
// Source: cluster22 §III-A, Fig. 3; hpdc15 §5.4 and Fig. 7. DIE (lines 4-11) is
// die, JOIN (lines 12-21) is join. The queue (lines 16-17) is what the rank's
// ReadyThreads are.
//
// README.md has the two orders: LookedAt is the text of §III-A, InTurns the
// system with which the paper measured (MassiveThreads/DM).
//
// Thread safety: an instance belongs to one rank; entries are operated on from
// all. Invariants:
//   1. An entry's `state` begins as kLive and its thread's generation, before
//      the handle is known to anybody (an exclusive phase); see task_entries.h.
//   2. kDone is set once, when the result is there, before the thread takes its
//      parent back: see PolledEntries::put_done. Nobody else changes a state.
//   3. The consumer that has seen kDone frees the entry; of several the last
//      one does (TaskEntries). A consumer that waits claims the thread: its
//      addition to `claims` has arrived before it goes on, so that none comes
//      to an entry that was freed.
//   4. A thread that waits is in the queue of the rank that has its frames.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_STALLING_JOIN_H_
#define MAGPIE_IMPL_GREEDY_JOIN_STALLING_JOIN_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <utility>

#include "common/fork_join/join_policy.h"
#include "common/fork_join/polled_entries.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie::greedy_join {

enum class WaitOrder { kLookedAt, kInTurns };

struct alignas(16) PolledEntry {
  rma::Word state;
  uint64_t ended_at;
  // A bit for each consumer that waits for the thread or has discarded it.
  rma::Word claims;
  rma::Word finished;
};

template <ThreadLayer ThreadsType, RemoteHeap Heap, WaitOrder kOrder>
class StallingJoin : public PolledEntries<PolledEntry, Heap> {
 public:
  using Threads = ThreadsType;
  static constexpr bool kWaitsInTurns = kOrder == WaitOrder::kInTurns;
  using SavedThread = typename Threads::SavedThread;
  using Entry = PolledEntry;
  using Entries = PolledEntries<Entry, Heap>;
  using EntryPtr = typename Entries::EntryPtr;
  using Entries::Entries;

  // Cost: no operation.
  [[gnu::always_inline]] Handle create(const TypeInfo& type) {
    Entry* const entry = Entries::create(&stats_.spawns, type);  // invariant 1
    entry->ended_at = 0;
    new (&entry->claims) rma::Word(0);
    return make_handle(rma::heap_ptr(entry), entry->state.own_value());
  }

  // DIE: ends a thread, lines 4-11. With kInTurns the rank goes on with the
  // thread that has waited longest, if any waits. Cost: that of
  // PolledEntries::put_done; with kInTurns also that of next().
  [[gnu::always_inline]] static void die(const TypeInfo& type,
                                         const Handle& thread,
                                         context::Context* parent,
                                         const void* retval) {
    ++self().stats_.deaths;
    const bool is_home = Entries::put_done(thread, retval,
                                           type.result_size);  // lines 5-6
    // The parent can only be where the thread was created.
    if (!is_home || !Parts::here().reclaim_parent(parent)) [[unlikely]]
      leave();  // line 7
  }

  // Waits for a thread, fetches its result and frees the entry. Cost: entry
  // here and thread done: none. Else get (state), get (result), free; where the
  // thread still runs a fetch_add_nb, a get of the state for each look, and one
  // of when it ended. With several consumers a fetch_add more for each, and one
  // free.
  [[gnu::always_inline]] static void join(const Handle& thread,
                                          uint32_t consumer, void* result,
                                          size_t bytes) {
    const EntryPtr e = entry_of<Entry>(thread);
    if (Entries::here(e)) [[likely]] {
      if (e.local()->state.load() == done_state_of(thread)) [[likely]]
        return self().take_result(thread, 0, result, bytes);
    }
    finish_join(thread, consumer, result, bytes);
  }

  // Does not wait: where the thread still runs, the rank looks after its entry
  // as it does after those that threads wait for.
  static void discard(Handle thread, uint32_t consumer, uint32_t) {
    if (Entries::is_done(thread)) return self().let_go(thread, consumer);
    claim(self().enqueue(thread, consumer, {}));
  }

  // The threads that wait on this rank, and what it has discarded: see
  // ReadyThreads. Cost of next(): none where the first one's entry lies here;
  // else a get of its state, and of what was discarded also what it costs to
  // free it. With kInTurns none for a thread.
  size_t waiting() const { return queue_.size(); }
  bool next(SavedThread* saved) {
    if (queue_.empty()) return false;
    Waiter& first = queue_.front();
    const bool is_thread = bool{first.thread.frames};
    outstanding_ = first.last_look;
    if (!(is_thread && looks_itself()) &&
        !(is_thread ? sees_the_end(first.joined)
                    : Entries::is_done(first.joined))) {
      first.last_look = {};
      queue_.splice(queue_.end(), queue_, queue_.begin());
      return false;
    }
    settle_claim(first);
    if (is_thread)
      *saved = first.thread;
    else
      Entries::let_go(first.joined, first.consumer);
    queue_.pop_front();
    return is_thread;
  }

  // spawns, deaths, outstanding joins.
  const SchedulerStats& stats() const { return stats_; }
  // Number of the outstanding joins that were for threads that ended on another
  // rank than their entry's: those that cluster22's system counts.
  OwnCounts own_counts() const {
    return {{"outstanding_joins_elsewhere", outstanding_elsewhere_}};
  }

 private:
  using Parts = JoinParts<Threads, StallingJoin>;
  [[gnu::always_inline]] static StallingJoin& self() {
    return Parts::here().joins;
  }

  // Lines 10-11.
  [[noreturn, gnu::noinline]] static void leave() {
    SavedThread next;
    if (kWaitsInTurns && self().next(&next))
      Parts::here().threads.exit_to(next);
    Parts::here().threads.exit_to_scheduler();
  }

  // Element of the queue; `thread` has no frames where `joined` was discarded.
  struct Waiter {
    Handle joined;
    uint32_t consumer;
    SavedThread thread;
    // Scope that begins when the thread was last seen to be running.
    trace::Scope last_look = {};
    // Whether a claim is on its way; the claims before it, once it has arrived.
    bool is_claiming = false;
    uint64_t claims = 0;

    uint64_t claim() const { return uint64_t{1} << consumer; }
  };
  // Adds a waiter at the end of the queue.
  Waiter& enqueue(Handle joined, uint32_t consumer, const SavedThread& thread) {
    return queue_.emplace_back(Waiter{joined, consumer, thread});
  }

  // Says that the consumer waits, or does not want the result. Does not wait
  // for the operation: a waiting thread gives way at once. Cost: 1
  // fetch_add_nb.
  static void claim(Waiter& waiter) {
    const EntryPtr e = entry_of<Entry>(waiter.joined);
    waiter.is_claiming = true;
    rma::fetch_add_nb(e.field(&Entry::claims), waiter.claim(), &waiter.claims);
  }
  // Completes a claim; prints an error and ends the job where the consumer had
  // claimed before. To be called before the waiter goes on (invariant 3). Cost:
  // a flush, the first time.
  static void settle_claim(Waiter& waiter) {
    if (!std::exchange(waiter.is_claiming, false)) return;
    rma::flush(entry_of<Entry>(waiter.joined).rank);
    if ((waiter.claims & waiter.claim()) != 0) rma::fatal(kClaimedTwice);
  }

  // The rest of join.
  [[gnu::noinline]] static void finish_join(Handle thread, uint32_t consumer,
                                            void* result, size_t bytes) {
    if (!Entries::is_done(thread)) wait_for(thread, consumer);  // lines 13-18
    self().take_result(thread, consumer, result,
                       bytes);  // lines 19-20
  }

  // Waits until the thread is done. The join is outstanding since the thread's
  // end; where that was on the entry's rank nobody has noted its time, and the
  // join counts from the last look that found the thread running.
  static void wait_for(Handle thread, uint32_t consumer) {
    if (Entries::has_waited_in_place(thread)) return;
    bool has_claimed = false;
    do {
      Parts::here().threads.suspend([=](const SavedThread& me) {
        StallingJoin& joins = self();
        Waiter& waiter = joins.enqueue(thread, consumer, me);  // line 16
        if (!has_claimed) claim(waiter);
        return false;  // line 17
      });
      has_claimed = true;
    } while (kWaitsInTurns && !self().sees_the_end(thread));
    StallingJoin& joins = self();
    joins.outstanding_.end(trace::Event::kOutstandingJoin,
                           joins.stats_.outstanding_join_ns);
    ++joins.stats_.outstanding_joins;
  }

  // Whether the thread is done, asked for a waiter that found it running when
  // outstanding_ began.
  bool sees_the_end(Handle thread) {
    if (!Entries::is_done(thread)) return false;  // line 18
    const uint64_t ended_at = Entries::ended_at(thread);
    outstanding_elsewhere_ += ended_at != 0;
    outstanding_.begins_no_sooner(ended_at);
    return true;
  }

  // Whether a waiting thread is brought in to look itself. On a single rank it
  // would look for ever.
  static bool looks_itself() { return kWaitsInTurns && rma::size() > 1; }

  SchedulerStats stats_;
  // Waiters, the longest waiting first.
  std::list<Waiter> queue_;
  // Outstanding join of the thread that the rank has last gone on with.
  trace::Scope outstanding_;
  uint64_t outstanding_elsewhere_ = 0;
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_STALLING_JOIN_H_
