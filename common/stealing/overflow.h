// Items that a stealable queue has no room for wait here, in ordinary memory,
// until it has.
//
// A queue can be full although it is empty, as long as thieves copy what it
// held. Its owner may then have nothing else, and must run what comes.
//
// Thread safety: belongs to one rank, the queue's owner.

#ifndef MAGPIE_COMMON_STEALING_OVERFLOW_H_
#define MAGPIE_COMMON_STEALING_OVERFLOW_H_

#include <cstddef>
#include <list>
#include <span>

#include "common/stealing/stealable_queue.h"

namespace magpie {

template <StealableQueue Queue>
class Overflow {
 public:
  using Item = typename Queue::Item;

  // Adds the youngest item, or several, the youngest last.
  void add(const Item& item) { waiting_.push_back(item); }
  void add(std::span<const Item> items) {
    waiting_.insert(waiting_.end(), items.begin(), items.end());
  }

  // Puts into the queue what it has room for, the oldest first. Cost: that of
  // the pushes.
  void offer(Queue& queue) {
    while (!waiting_.empty() && !queue.full()) {
      queue.push(waiting_.front());
      waiting_.pop_front();
    }
  }

  // Takes the youngest that is here. False: there is none.
  bool take_youngest(Item* item) {
    if (waiting_.empty()) return false;
    *item = waiting_.back();
    waiting_.pop_back();
    return true;
  }

  bool empty() const { return waiting_.empty(); }
  size_t size() const { return waiting_.size(); }

 private:
  // Items, the oldest first.
  std::list<Item> waiting_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_OVERFLOW_H_
