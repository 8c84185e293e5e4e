// Queues that the suite must refuse, for queue_suite_test.sh.

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/stealable_queue_suite.h"

namespace magpie {
namespace {

using queue_suite::Item;

// Says half of what it takes.
class SaysHalf : public LockedDeque<Item> {
 public:
  using LockedDeque::LockedDeque;
  static size_t heap_bytes(const QueueOptions& options) {
    return LockedDeque::heap_bytes(options) / 2;
  }
};

// Loses one of its items on the way to a thief, or to its owner.
class LosesOne : public LockedDeque<Item> {
 public:
  using LockedDeque::LockedDeque;

  bool pop(Item* item) {
    return LockedDeque::pop(item) &&
           (!is_lost(*item) || LockedDeque::pop(item));
  }
  template <typename Take>
  Outcome steal(Remote victim, Take take) {
    return LockedDeque::steal(victim, [&](std::span<const Item> items) {
      if (!is_lost(items.front())) take(items);
    });
  }

 private:
  static bool is_lost(const Item& item) { return item.number == 17; }
};

// Lets thieves see a place before it has written the item there.
class WritesLate : public LockedDeque<Item> {
 public:
  using LockedDeque::LockedDeque;

  void push(const Item& item) {
    const Remote own = remote(rma::rank());
    const uint64_t top = own.bounds.local()->top.own_value();
    own.bounds.local()->top.store(top + 1);
    own.items.local()[top] = item;
  }
};

// Orders the item only with what it stores after the place.
class OrdersLate : public LockedDeque<Item> {
 public:
  using LockedDeque::LockedDeque;

  void push(const Item& item) {
    const Remote own = remote(rma::rank());
    const uint64_t top = own.bounds.local()->top.own_value();
    *rma::plain_write(own.items.local() + top) = item;
    own.bounds.local()->top.store_relaxed(top + 1);
  }
};

}  // namespace
}  // namespace magpie

MAGPIE_STEALABLE_QUEUE_SUITE(SaysHalf, magpie::SaysHalf);
MAGPIE_STEALABLE_QUEUE_SUITE(LosesOne, magpie::LosesOne);
MAGPIE_STEALABLE_QUEUE_SUITE(WritesLate, magpie::WritesLate);
MAGPIE_STEALABLE_QUEUE_SUITE(OrdersLate, magpie::OrdersLate);
