// A queue that the suite must refuse, for queue_suite_test.sh.

#include "common/stealing/locked_deque.h"
#include "common/stealing/stealable_queue_suite.h"

namespace magpie {
namespace {

using queue_suite::Item;

// Loses one of its items.
class LosesOne : public LockedDeque<Item> {
 public:
  using LockedDeque::LockedDeque;
  void push(const Item& item) {
    if (item.number != 17) LockedDeque::push(item);
  }
};

SPMD_CASE(LosesOne, EachIsTakenOnce,
          queue_suite::each_is_taken_once<LosesOne>())

}  // namespace
}  // namespace magpie
