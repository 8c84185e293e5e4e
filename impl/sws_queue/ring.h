// The circular buffer in which both queues keep their items.
//
// Positions count items since the start and never wrap; the item at a
// position lies at that position modulo the size. All ranks' rings have one
// size, so a thief knows by itself where a block wraps (icpp21 §4, example 1).
//
// Thread safety: the owner writes, thieves copy; the queues see to it that they
// do not do so at the same place.

#ifndef MAGPIE_IMPL_SWS_QUEUE_RING_H_
#define MAGPIE_IMPL_SWS_QUEUE_RING_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/rma/names.h"
#include "common/rma/rma.h"

namespace magpie::sws_queue {

template <typename Item>
class Ring {
 public:
  // Makes a ring of the smallest power of two that holds `capacity` items.
  // Collective.
  explicit Ring(size_t capacity)
      : mask_(size_of(capacity) - 1),
        items_(rma::allocate<Item>(size_of(capacity))),
        own_(items_.local()) {
    rma::name_words(items_, "task", size_of(capacity));
  }

  static size_t size_of(size_t capacity) { return std::bit_ceil(capacity); }
  static size_t heap_bytes(size_t capacity) {
    return rma::allocated_bytes<Item>(size_of(capacity));
  }

  uint64_t index_of(uint64_t position) const { return position & mask_; }

  // Item at a position of the own ring.
  Item& operator[](uint64_t position) const { return own_[index_of(position)]; }

  // Stores items from the position `begin` on. REQUIRES: there are no more than
  // the ring has places.
  void put(uint64_t begin, std::span<const Item> items) {
    const uint64_t before_end =
        std::min<uint64_t>(items.size(), mask_ + 1 - index_of(begin));
    const auto copy = [](std::span<const Item> from, Item* to) {
      std::ranges::copy(from, rma::plain_write(to, from.size()));
    };
    copy(items.first(before_end), own_ + index_of(begin));
    copy(items.subspan(before_end), own_);
  }

  // Copies a block of `rank`'s, which begins at a position or an index. What is
  // returned holds until the next call. Cost: 1 get, 2 where the block wraps.
  std::span<const Item> get(int rank, uint64_t begin, uint64_t n) {
    if (copied_.size() < n * sizeof(Item)) copied_.resize(n * sizeof(Item));
    const uint64_t index = index_of(begin);
    const uint64_t before_end = std::min(n, mask_ + 1 - index);
    Item* const to = reinterpret_cast<Item*>(copied_.data());
    get(rank, index, before_end, to);
    get(rank, 0, n - before_end, to + before_end);
    return {to, n};
  }

 private:
  static_assert(std::is_trivially_copyable_v<Item>);
  static_assert(alignof(Item) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  void get(int rank, uint64_t index, uint64_t n, Item* to) const {
    if (n == 0) return;
    const auto from = items_.at(rank) + index;
    rma::get(to, {from.rank, from.offset}, n * sizeof(Item));
  }

  const uint64_t mask_;
  const rma::RemotePtr<Item> items_;
  Item* const own_;
  std::vector<std::byte> copied_;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_RING_H_
