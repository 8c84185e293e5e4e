// A queue of one's own: a ring of items in memory that all ranks reach. Its
// owner pushes without asking anybody; all else happens under one lock. A thief
// takes half of what there is.
//
// Thread safety: push, pop, empty, full and quiesce are for its owner, steal
// and offered for any rank. Invariants:
//   1. Items [base, top) were pushed and not taken, oldest first; item i lies
//      at place i % capacity. base <= top <= base + capacity.
//   2. Its owner alone raises top, and lowers it with the lock; thieves raise
//      base, with the lock and after they have copied the items: a place is
//      used again only after that.
//   3. Who has the lock is not between taking items and the end of its `take`.

#ifndef MAGPIE_EXAMPLES_RING_POOL_RING_QUEUE_H_
#define MAGPIE_EXAMPLES_RING_POOL_RING_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/stealable_queue.h"

// Meets magpie::StealableQueue.
template <typename ItemType>
class RingQueue {
  struct Bounds {
    magpie::rma::Word base, top;
    // Number of items, as a copy shows it. Without the lock base may be the
    // later one, beyond top.
    uint64_t size() const {
      return std::max(top.own_value(), base.own_value()) - base.own_value();
    }
  };

 public:
  using Item = ItemType;
  struct Remote {
    magpie::rma::RemotePtr<magpie::rma::Word> lock;
    magpie::rma::RemotePtr<Bounds> bounds;
    magpie::rma::RemotePtr<Item> items;
  };

  explicit RingQueue(const magpie::QueueOptions& options)
      : options_(options),
        own_{magpie::rma::allocate<magpie::rma::Word>(),
             magpie::rma::allocate<Bounds>(),
             magpie::rma::allocate<Item>(options.capacity)} {}

  // What the constructor allocates.
  static size_t heap_bytes(const magpie::QueueOptions& options) {
    return magpie::rma::allocated_bytes<magpie::rma::Word>() +
           magpie::rma::allocated_bytes<Bounds>() +
           magpie::rma::allocated_bytes<Item>(options.capacity);
  }

  // Cost: none.
  void push(const Item& item) {
    const uint64_t top = bounds().top.own_value();
    *magpie::rma::plain_write(own_.items.local() + top % options_.capacity) =
        item;
    bounds().top.store(top + 1);  // others see the item before
  }
  bool empty() const {
    return bounds().base.load() == bounds().top.own_value();
  }
  bool full() {
    return bounds().top.own_value() - bounds().base.load() == options_.capacity;
  }

  // Cost: a fetch_add or more and a swap.
  bool pop(Item* item) {
    magpie::lock(own_.lock);
    const bool found = !empty();
    if (found) {
      const uint64_t top = bounds().top.own_value() - 1;
      *item = own_.items.local()[top % options_.capacity];
      bounds().top.store(top);
      magpie::rma::flush(own_.lock.rank);  // before the unlock
    }
    magpie::unlock(own_.lock);
    return found;
  }
  void quiesce() {
    magpie::lock(own_.lock);  // invariant 3
    magpie::unlock(own_.lock);
  }

  Remote remote(int rank) const {
    return {own_.lock.at(rank), own_.bounds.at(rank), own_.items.at(rank)};
  }
  // Cost: a get.
  uint64_t offered(Remote victim) const {
    return magpie::rma::get(victim.bounds).size();
  }

  // Cost: a get with the empty check; then fetch_add, 2 or 3 gets, put, swap;
  // 1 fetch_add where somebody has the lock.
  template <typename Take>
  magpie::Outcome steal(Remote victim, Take take) {
    if (options_.empty_check && offered(victim) == 0)
      return magpie::Outcome::kEmpty;
    if (!magpie::try_lock(victim.lock)) return magpie::Outcome::kBusy;
    const Bounds seen = magpie::rma::get(victim.bounds);
    const uint64_t base = seen.base.own_value();
    std::vector<Item> loot((seen.size() + 1) / 2);
    if (!loot.empty()) {
      const size_t first = base % options_.capacity;
      const size_t part = std::min(loot.size(), options_.capacity - first);
      get_items(victim.items + first, loot.data(), part);
      get_items(victim.items, loot.data() + part, loot.size() - part);
      magpie::rma::put_word(victim.bounds.field(&Bounds::base),
                            base + loot.size());
      take(std::span<const Item>(loot));
      magpie::rma::flush(victim.lock.rank);  // before the unlock
    }
    magpie::unlock(victim.lock);
    return loot.empty() ? magpie::Outcome::kEmpty : magpie::Outcome::kTaken;
  }

 private:
  static void get_items(magpie::rma::RemotePtr<Item> from, Item* to,
                        size_t count) {
    if (count > 0)
      magpie::rma::get(to, {from.rank, from.offset}, count * sizeof(Item));
  }
  Bounds& bounds() const { return *own_.bounds.local(); }

  const magpie::QueueOptions options_;
  const Remote own_;
};

#endif  // MAGPIE_EXAMPLES_RING_POOL_RING_QUEUE_H_
