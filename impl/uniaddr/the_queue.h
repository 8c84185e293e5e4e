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
// Thread safety: push, pop, empty, full and quiesce are the owner's. steal is
// for other ranks, at any time.
//
// Invariants:
//   1. items[base, top) are the items that may be taken, oldest first. In
//      transit `top` may be one too low, -1 included, until the owner's pop has
//      looked at `base`; and `base` one too high, beyond `top` included, until
//      the thief that has the lock steps back.
//   2. `top` is written by the owner only.
//   3. `base` is written by the holder of the lock only, hence by puts and
//      plain stores.
//   4. `lock` is written by remote atomics only. A holder that lets it go
//      leaves `base` in it, so that the next one need not ask for `base`.
//   5. Owner and thief announce before they look: the owner lowers top, fences,
//      reads base; a thief raises base, flushes, reads top. So for the last
//      item at least one of them sees the other; the thief then steps back,
//      and the owner takes the lock to decide.
//   6. A thief holds the lock until its `take` has returned. So once the owner
//      has found the queue empty *under the lock*, nobody holds what was in it.
//   7. When the owner finds the queue empty under the lock it starts again at
//      0, and top is 0 only where nothing was taken since. Between two such
//      points base <= top <= capacity, except in transit.

#ifndef MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_
#define MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/stealable_queue.h"
#include "common/trace/scope.h"

namespace magpie::uniaddr {

template <typename ItemType>
class TheQueue {
  // Both words, which one get shows.
  struct alignas(16) Ends {
    rma::Word base, top;
  };
  struct Shared {
    alignas(64) rma::Word lock;
    // Apart from the lock, which is written by thieves that fail, too.
    alignas(64) Ends ends;
  };

 public:
  using Item = ItemType;
  struct Remote {
    rma::RemotePtr<Shared> shared;
    rma::RemotePtr<Item> items;

    auto lock() const { return shared.field(&Shared::lock); }
    auto ends() const { return shared.field(&Shared::ends); }
    auto base() const { return ends().field(&Ends::base); }
    auto top() const { return ends().field(&Ends::top); }
  };

  // `capacity` is of the items that are pushed between two points at which
  // the queue is empty (invariant 7), taken ones included. REQUIRES: it is
  // below 2^32 - 1. Collective.
  explicit TheQueue(const QueueOptions& options)
      : capacity_(options.capacity),
        empty_check_(options.empty_check),
        own_{rma::allocate<Shared>(),
             rma::allocate<Item>(options.capacity, "item")},
        ends_(&own_.shared.local()->ends),
        items_(own_.items.local()) {
    check(capacity_ < UINT32_MAX, "a capacity of 2^32 - 1 or more");
    rma::name_word(own_.lock(), "queue lock");
    rma::name_word(own_.base(), "base");
    rma::name_word(own_.top(), "top");
  }

  static size_t heap_bytes(const QueueOptions& options) {
    return rma::allocated_bytes<Shared>() +
           rma::allocated_bytes<Item>(options.capacity);
  }

  // ----------------------------------------------------------------- the owner

  // Cost: no operation.
  [[gnu::always_inline]] void push(const Item& item) {
    const bool is_pushed = push_at_once([&](Item* at) { *at = item; });
    check(is_pushed, "a push onto a full queue");
  }

  // Null also says that no thief holds what was taken (invariant 6). Cost: no
  // operation; a lock and an unlock where a thief is or was about.
  [[gnu::always_inline]] const Item* pop() {
    const Item* youngest = nullptr;
    const auto any = [&youngest](const Item& item) {
      youngest = &item;
      return true;
    };
    return pop_at_once(any) ? youngest : pop_locked();
  }

  // The fast paths (stealable_queue.h): a push where there is room, and a pop
  // where no thief is at the last item.
  template <typename Fill>
  [[gnu::always_inline]] bool push_at_once(Fill fill) {
    Ends* const ends = ends_;
    const uint64_t top = ends->top.load();
    if (top >= capacity_) [[unlikely]]
      return false;
    fill(rma::plain_write(&items_[top]));
    ends->top.store(top + 1);
    return true;
  }
  template <typename Wanted>
  [[gnu::always_inline]] bool pop_at_once(Wanted wanted) {
    Ends* const ends = ends_;
    const int64_t top = static_cast<int64_t>(ends->top.load()) - 1;
    const Item* const youngest = items_ + top;
    ends->top.store_relaxed(static_cast<uint64_t>(top));
    rma::Word::fence();  // invariant 5
    if (static_cast<int64_t>(ends->base.load()) > top || !wanted(*youngest))
        [[unlikely]] {
      // Lets a thief that looks now see the truth.
      ends->top.store(ends->top.own_value() + 1);
      return false;
    }
    return true;
  }

  bool empty() const { return ends_->base.load() >= ends_->top.load(); }
  bool full() const { return ends_->top.own_value() >= capacity_; }

  // Cost: none after a pop that returned null; else as such a pop.
  void quiesce() {
    if (ends_->top.own_value() == 0) return;  // invariant 7
    lock(own_.lock());                        // invariant 6
    unlock(own_.lock(), own_base());
  }

  // ------------------------------------------------------------------- thieves

  Remote remote(int rank) const {
    return {own_.shared.at(rank), own_.items.at(rank)};
  }

  // Takes the oldest one. Source: hpdc15 Fig. 6, where (1) are lines 11-12, (2)
  // to (5) 15-18, `take` 3-4 and (6) line 5; (2) and (3) are Cilk-5's way. The
  // empty check is jip16 §6.2; the phases are those of Table 3, of both papers.
  // Cost: empty check 1 get; lock 1 fetch_add; 2 gets and a put, and where
  // there is nothing a get and 2 puts; unlock (remote_lock.h) 1 swap or put;
  // and what `take` costs.
  template <typename Take>
  Outcome steal(Remote victim, Take take) const {
    using enum Outcome;
    trace::Phase phase;
    if (empty_check_) {
      const Ends seen = rma::get(victim.ends());
      if (seen.base.load() >= seen.top.load()) return kEmpty;
      phase.end(trace::Event::kEmptyCheck);
    }
    uint32_t oldest;
    if (!try_lock(victim.lock(), &oldest)) return kBusy;  // (1)
    phase.end(trace::Event::kLock);
    rma::put_word(victim.base(), oldest + 1);          // (2)
    rma::flush(victim.shared.rank);                    // invariant 5
    const uint64_t top = rma::get_word(victim.top());  // (3)
    if (oldest >= static_cast<int64_t>(top)) {
      rma::put_word(victim.base(), oldest);  // (4)
      rma::flush(victim.shared.rank);        // before the lock is let go
      unlock(victim.lock(), oldest);
      return kEmpty;
    }
    const Item item = rma::get(victim.items + oldest);  // (5)
    phase.end(trace::Event::kTakeItem);
    take(std::span(&item, 1));  // lines 3-4
    phase.restart();
    unlock(victim.lock(), oldest + 1);  // (6)
    phase.end(trace::Event::kUnlock);
    return kTaken;
  }

 private:
  // Value of `base`, as long as the caller has the lock.
  uint32_t own_base() const {
    return static_cast<uint32_t>(ends_->base.load());
  }

  // Only a thief that took or is taking the last item brings the owner here.
  // Not null: it is the owner's.
  [[gnu::noinline]] const Item* pop_locked() {
    const int64_t top = static_cast<int64_t>(ends_->top.own_value()) - 1;
    lock(own_.lock());
    const bool found = static_cast<int64_t>(ends_->base.load()) <= top;
    if (found) {
      ends_->top.store(static_cast<uint64_t>(top));
    } else {
      ends_->base.store(0);
      ends_->top.store(0);
    }
    rma::flush(own_.shared.rank);  // the stores before the unlock
    unlock(own_.lock(), own_base());
    return found ? items_ + top : nullptr;
  }

  const size_t capacity_;
  const bool empty_check_;
  const Remote own_;
  Ends* const ends_;
  Item* const items_;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_THE_QUEUE_H_
