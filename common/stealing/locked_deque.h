// The simplest stealable queue: everybody does everything under one lock.
//
// To be read first; other parts are tested with it. Slow: the owner
// locks as thieves do.
//
// Invariants, while nobody has the lock:
//   1. items[base, top) are what was pushed and not taken, oldest first;
//      base <= top <= capacity.
//   2. No thief is between taking an item and the end of its `take`.

#ifndef MAGPIE_COMMON_STEALING_LOCKED_DEQUE_H_
#define MAGPIE_COMMON_STEALING_LOCKED_DEQUE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/stealable_queue.h"

namespace magpie {

template <typename ItemType>
class LockedDeque {
  struct Bounds {
    rma::Word base, top;
  };

 public:
  using Item = ItemType;
  struct Remote {
    rma::RemotePtr<rma::Word> lock;
    rma::RemotePtr<Bounds> bounds;
    rma::RemotePtr<Item> items;
  };

  explicit LockedDeque(const QueueOptions& options)
      : capacity_(options.capacity),
        own_{rma::allocate<rma::Word>(), rma::allocate<Bounds>(),
             rma::allocate<Item>(options.capacity)} {}

  static size_t heap_bytes(const QueueOptions& options) {
    return rma::allocated_bytes<rma::Word>() + rma::allocated_bytes<Bounds>() +
           rma::allocated_bytes<Item>(options.capacity);
  }

  // Cost: a lock and an unlock (remote_lock.h), as of all that follows.
  void push(const Item& item) {
    lock(own_.lock);
    const uint64_t top = bounds().top.load();
    check(top < capacity_, "a push onto a full queue");
    *rma::plain_write(own_.items.local() + top) = item;
    bounds().top.store(top + 1);
    let_go();
  }

  const Item* pop() {
    lock(own_.lock);
    const uint64_t top = bounds().top.load();
    const bool found = bounds().base.load() < top;
    if (found)
      bounds().top.store(top - 1);
    else
      begin_anew();
    let_go();
    return found ? own_.items.local() + top - 1 : nullptr;
  }

  // Cost: none.
  bool empty() const { return bounds().base.load() >= bounds().top.load(); }
  // Cost: none; where the last place is used, that of a pop.
  bool full() {
    if (bounds().top.load() < capacity_) return false;
    lock(own_.lock);
    const bool is_empty = bounds().base.load() >= bounds().top.load();
    if (is_empty) begin_anew();
    let_go();
    return !is_empty;
  }

  void quiesce() {
    lock(own_.lock);  // invariant 2
    unlock(own_.lock);
  }

  Remote remote(int rank) const {
    return {own_.lock.at(rank), own_.bounds.at(rank), own_.items.at(rank)};
  }

  uint64_t offered(Remote victim) const {
    const Bounds seen = rma::get(victim.bounds);
    const uint64_t base = seen.base.own_value(), top = seen.top.own_value();
    return base < top ? top - base : 0;
  }

  // Takes one item. Looks under the lock only, whatever `empty_check` is. Cost:
  // fetch_add, get (base and top), get (item), put, swap; 1 fetch_add where
  // somebody has the lock.
  template <typename Take>
  Outcome steal(Remote victim, Take take) {
    if (!try_lock(victim.lock)) return Outcome::kBusy;
    const Bounds seen = rma::get(victim.bounds);
    const uint64_t base = seen.base.own_value();
    const bool found = base < seen.top.own_value();
    if (found) {
      const Item item = rma::get(victim.items + base);
      rma::put_word(victim.bounds.field(&Bounds::base), base + 1);
      take(std::span(&item, 1));
      rma::flush(victim.lock.rank);
    }
    unlock(victim.lock);
    return found ? Outcome::kTaken : Outcome::kEmpty;
  }

 private:
  Bounds& bounds() const { return *own_.bounds.local(); }

  // Starts again at place 0. REQUIRES: the queue is empty, and the caller has
  // the lock.
  void begin_anew() {
    bounds().base.store(0);
    bounds().top.store(0);
  }

  void let_go() {
    rma::flush(own_.lock.rank);  // the stores before the unlock
    unlock(own_.lock);
  }

  const size_t capacity_;
  const Remote own_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_LOCKED_DEQUE_H_
