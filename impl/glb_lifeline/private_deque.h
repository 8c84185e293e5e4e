// A queue whose owner alone touches it: for places of one rank, which answer
// requests themselves (lifelines.h). No operation of it touches the network.
//
// It is a StealableQueue of which only the own instance can be stolen from:
// that is how its owner takes the oldest half, to send it to the place that has
// asked.
//
// Thread safety: belongs to one rank. Invariants:
//   1. The items pushed and neither popped nor taken are those of the
//      positions [first_, end_), oldest first; at most `capacity_` of them. The
//      item of a position lies in ring_[position & mask_].

#ifndef MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
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
      : capacity_(options.capacity),
        mask_(std::bit_ceil(capacity_) - 1),
        ring_(std::make_unique_for_overwrite<Item[]>(mask_ + 1)) {}
  static size_t heap_bytes(const QueueOptions&) { return 0; }

  void push(const Item& item) {
    const bool is_pushed = push_at_once([&](Item* at) { *at = item; });
    check(is_pushed, "a push onto a full queue");
  }
  // The fast path (stealable_queue.h).
  template <typename Fill>
  [[gnu::always_inline]] bool push_at_once(Fill fill) {
    if (full()) [[unlikely]]
      return false;
    fill(&ring_[end_ & mask_]);
    ++end_;
    return true;
  }
  [[gnu::always_inline]] const Item* pop() {
    return empty() ? nullptr : &ring_[--end_ & mask_];
  }
  bool empty() const { return first_ == end_; }
  bool full() const { return size() >= capacity_; }
  void quiesce() {}

  // The caller's queue. REQUIRES, as of what follows: `rank` is the caller.
  // Cost: none.
  Remote remote(int rank) const { return {rank}; }
  uint64_t offered(Remote victim) const {
    require_own(victim);
    return size();
  }
  // Takes the oldest half, or the only one; at most `most`, which is not 0.
  template <typename Take>
  Outcome steal(Remote victim, Take take, size_t most = SIZE_MAX) {
    require_own(victim);
    if (empty()) return Outcome::kEmpty;
    std::vector<Item> oldest(std::clamp<size_t>(size() / 2, 1, most));
    for (Item& item : oldest) item = ring_[first_++ & mask_];
    take(std::span<const Item>(oldest));
    return Outcome::kTaken;
  }

 private:
  static void require_own(Remote victim) {
    check(victim.rank == rma::rank(), "a steal from a private queue");
  }

  size_t size() const { return static_cast<size_t>(end_ - first_); }

  const size_t capacity_;
  const uint64_t mask_;
  // Memory for all items that there may be, of which the system provides what
  // is used.
  const std::unique_ptr<Item[]> ring_;
  uint64_t first_ = 0;
  uint64_t end_ = 0;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_PRIVATE_DEQUE_H_
