// Queues that the suite must refuse, for queue_suite_test.sh.

#include <cstddef>
#include <span>

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

}  // namespace
}  // namespace magpie

MAGPIE_STEALABLE_QUEUE_SUITE(SaysHalf, magpie::SaysHalf);
MAGPIE_STEALABLE_QUEUE_SUITE(LosesOne, magpie::LosesOne);
