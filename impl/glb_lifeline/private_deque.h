// A queue whose owner alone touches it: for places of one rank, which answer
// requests themselves (requests.h). No operation of it touches the network.
//
// It is a StealableQueue of which only the own instance can be stolen from:
// that is how its owner takes the oldest half, to send it to who has asked.
//
// Thread safety: belongs to one rank. Invariants:
//   1. items_ are what was pushed and neither popped nor taken, oldest first;
//      at most `capacity_` of them.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"

namespace magpie::glb {

template <typename ItemType>
class PrivateDeque {
 public:
  using Item = ItemType;
  struct Remote {
    int rank;
  };

  explicit PrivateDeque(const QueueOptions& options)
      : capacity_(options.capacity) {}
  static size_t heap_bytes(const QueueOptions&) { return 0; }

  void push(const Item& item) {
    check(!full(), "a push onto a full queue");
    items_.push_back(item);
  }
  bool pop(Item* item) {
    if (items_.empty()) return false;
    *item = items_.back();
    items_.pop_back();
    return true;
  }
  bool empty() const { return items_.empty(); }
  bool full() const { return items_.size() >= capacity_; }
  void quiesce() {}

  // REQUIRES, as of what follows: `rank` is the caller. Cost: none.
  Remote remote(int rank) const { return {rank}; }
  uint64_t offered(Remote victim) const {
    require_own(victim);
    return items_.size();
  }
  // Takes the oldest half, or the only one; at most `most`, which is not 0.
  template <typename Take>
  Outcome steal(Remote victim, Take take, size_t most = SIZE_MAX) {
    require_own(victim);
    if (items_.empty()) return Outcome::kEmpty;
    const size_t n =
        std::clamp<size_t>(items_.size() / 2, 1, std::max<size_t>(most, 1));
    const auto end = items_.begin() + static_cast<ptrdiff_t>(n);
    const std::vector<Item> oldest(items_.begin(), end);
    items_.erase(items_.begin(), end);
    take(std::span<const Item>(oldest));
    return Outcome::kTaken;
  }

 private:
  static void require_own(Remote victim) {
    check(victim.rank == rma::rank(), "a steal from a private queue");
  }

  const size_t capacity_;
  std::deque<Item> items_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_
