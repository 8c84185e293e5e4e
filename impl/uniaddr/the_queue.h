// THE queue over RMA: the owner works at `top` without a lock, thieves take at
// `base` under one.
//
//   base                top
//    |                   |
//    v                   v
//    [oldest] ... [youngest]
//    thieves        the owner
//
// Source: hpdc15 §5.3 and Fig. 6; the protocol is Cilk-5's. In the paper the
// queue is a word in the text; the steps below are ours.
//
// Thread safety: push, pop and empty are the owner's. The static functions are
// for other ranks, at any time; take_oldest and unlock by the holder of the
// lock only.
//
// Invariants:
//   1. entries[base, top) are the continuations that may be taken, oldest
//      first.
//   2. `top` is written by the owner only.
//   3. `base` is written by the holder of the lock only, hence by puts and
//      plain stores.
//   4. `lock` is written by remote atomics only.
//   5. Owner and thief announce before they look: the owner lowers top, fences,
//      reads base; a thief raises base, flushes, reads top. So for the last
//      entry at least one of them sees the other; the thief then steps back,
//      and the owner takes the lock to decide.
//   6. A thief holds the lock until it has copied the frames. So an owner that
//      has found the queue empty *under the lock* may reuse the memory of every
//      continuation that was ever in it.
//   7. When the owner finds it empty under the lock it starts again at 0.
//      Between two such points base <= top <= number of continuations that fit
//      into the region one below the other, so the queue cannot overflow before
//      the region does.

#ifndef MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_
#define MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "impl/uniaddr/concepts.h"

namespace magpie::uniaddr {

class TheQueue {
 private:
  struct Shared {
    alignas(
        64) rma::Word lock;  // 0: free; only its holder saw a 0 when it added
    rma::Word base;
    alignas(64) rma::Word top;  // apart from what thieves write
  };

 public:
  struct Remote {
    rma::RemotePtr<Shared> shared;
    rma::RemotePtr<TaskqEntry> entries;
  };

  // A queue of `capacity` entries on every rank. Collective.
  explicit TheQueue(size_t capacity)
      : remote_{rma::allocate<Shared>(), rma::allocate<TaskqEntry>(capacity)},
        shared_(remote_.shared.local()),
        entries_(remote_.entries.local()) {}

  // ------------------------------------------------------------------------------
  // the owner

  // Adds the youngest. REQUIRES: fewer than `capacity` entries since the queue
  // was last empty (invariant 7). Cost: no operation.
  [[gnu::always_inline]] void push(TaskqEntry entry) {
    Shared* const shared = shared_;
    const uint64_t top = shared->top.load();
    entries_[top] = entry;
    shared->top.store(top + 1);
  }

  // Takes the youngest. False: the queue is empty and no thief is still copying
  // (invariant 6). Cost: no operation; a fetch_add or more and a swap where a
  // thief is or was about.
  [[gnu::always_inline]] bool pop(TaskqEntry* entry) {
    Shared* const shared = shared_;
    const int64_t top = static_cast<int64_t>(shared->top.load()) - 1;
    const TaskqEntry* const youngest = entries_ + top;
    shared->top.store_relaxed(static_cast<uint64_t>(top));
    rma::Word::fence();  // invariant 5
    if (static_cast<int64_t>(shared->base.load()) > top) [[unlikely]]
      return pop_locked(top, entry);
    *entry = *youngest;
    return true;
  }

  bool empty() const { return shared_->base.load() >= shared_->top.load(); }

  // ------------------------------------------------------------------------------
  // thieves

  Remote remote(int rank) const {
    return {remote_.shared.at(rank), remote_.entries.at(rank)};
  }

  // Saves a lock where there is nothing (jip16 §6.2, "empty check"). Cost: 1
  // get.
  static bool looks_empty(Remote queue) {
    const Shared seen = rma::get(queue.shared);
    return seen.base.load() >= seen.top.load();
  }

  // Cost: 1 fetch_add.
  static bool try_lock(Remote queue) {
    return rma::fetch_add(rma::remote_field(queue.shared, &Shared::lock), 1) ==
           0;
  }

  // Cost: 1 swap.
  static void unlock(Remote queue) {
    rma::swap(rma::remote_field(queue.shared, &Shared::lock), 0);
  }

  // Takes the oldest, whose frames stay where they are until unlock. False:
  // empty. REQUIRES: the caller holds the lock. Cost: 3 gets and a put; empty:
  // 2 gets and 2 puts.
  static bool take_oldest(Remote queue, TaskqEntry* entry) {
    const rma::RemotePtr<rma::Word> base =
        rma::remote_field(queue.shared, &Shared::base);
    const uint64_t oldest = rma::get_word(base);
    rma::put_word(base, oldest + 1);
    rma::flush(base.rank);  // invariant 5
    const uint64_t top =
        rma::get_word(rma::remote_field(queue.shared, &Shared::top));
    if (static_cast<int64_t>(oldest) >= static_cast<int64_t>(top)) {
      rma::put_word(base, oldest);
      rma::flush(base.rank);  // before the lock is released
      return false;
    }
    *entry = rma::get(queue.entries + oldest);
    return true;
  }

 private:
  // Only a thief that took or is taking the last entry brings the owner here.
  [[gnu::noinline]] bool pop_locked(int64_t top, TaskqEntry* entry) {
    shared_->top.store(static_cast<uint64_t>(
        top + 1));  // let a thief that looks now see the truth
    while (!try_lock(remote_)) rma::idle();
    const bool found = static_cast<int64_t>(shared_->base.load()) <= top;
    if (found) {
      shared_->top.store(static_cast<uint64_t>(top));
      *entry = entries_[top];
    } else {
      shared_->base.store(0);
      shared_->top.store(0);
    }
    rma::flush(remote_.shared.rank);  // the stores before the unlock
    unlock(remote_);
    return found;
  }

  Remote remote_;  // the own one
  Shared* shared_;
  TaskqEntry* entries_;
};

static_assert(StealableQueue<TheQueue>);

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_
