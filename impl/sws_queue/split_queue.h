// A split queue: what its owner works on and what thieves may take lie side by
// side in one ring. This is the local part of both SDC and SWS, and the whole
// policy of what moves from one part to the other; the shared part is the
// derived class's (sdc_queue.h, sws_queue.h).
//
//      in use by thieves    shared          local
//     [ claimed .......... | ............. | ............. )
//     reclaimed          tail            split           head
//                   thieves take here             the owner's push and pop
//
// Source: icpp21 §3 and Fig. 1.
//
// Thread safety: steal is for any rank at any time; all else is the owner's.
// Invariants:
//   1. reclaimed <= tail <= split <= head <= reclaimed + capacity.
//   2. head and split are the owner's. Items in [split, head) are touched by
//      nobody else.
//   3. An item below tail has been claimed by one thief. Its place is used
//      again only after the thief's notice that it was copied.

#ifndef MAGPIE_IMPL_SWS_QUEUE_SPLIT_QUEUE_H_
#define MAGPIE_IMPL_SWS_QUEUE_SPLIT_QUEUE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"

namespace magpie::sws_queue {

// Offered tasks [first, first + size), counted from the oldest.
struct Block {
  uint64_t first, size;
  bool operator==(const Block&) const = default;
};

// A volume is a class that says how many tasks a steal takes: half of what is
// left (Half), as in icpp21, or one (One), for items that stand for more than
// themselves.
//
// With SWS a thief knows only what was offered at first and how many steals
// were attempted since: what the n-th steal takes follows from these.
//
//   block(itasks, n)      Tasks of the n-th steal, n = 0, 1, ..., of `itasks`
//                         that were offered. Empty: nothing is left for it.
//   of(available)         Number that a steal takes of `available` tasks. (SDC)
//   steals(itasks)        Number of steals that take all of it.
//   kTakesOne             Whether a steal takes one item at most. Then
//                         completions are counted, and else told apart
//                         (sws_queue.h); and a thief waits until its notice
//                         of one has arrived: where an item stands for frames
//                         the victim may have nothing else to do, and of its
//                         mere bytes it wants the place back, some time.
//
// Half: at least one; icpp21 §4, example (2): of 150 tasks the steals take 75,
// 37, 19, 9, 5, 2, 1, 1, 1.
struct Half {
  static constexpr bool kTakesOne = false;

  static constexpr uint64_t of(uint64_t available) {
    return std::max(available / 2, std::min(available, uint64_t{1}));
  }
  static constexpr Block block(uint64_t itasks, uint64_t n) {
    uint64_t first = 0;
    for (; n > 0 && first < itasks; --n) first += of(itasks - first);
    return {first, of(itasks - first)};
  }
  static constexpr uint64_t steals(uint64_t itasks) {
    uint64_t n = 0;
    for (; itasks > 0; ++n) itasks -= of(itasks);
    return n;
  }
};

struct One {
  static constexpr bool kTakesOne = true;

  static constexpr uint64_t of(uint64_t available) {
    return std::min(available, uint64_t{1});
  }
  static constexpr Block block(uint64_t itasks, uint64_t n) {
    const uint64_t first = std::min(itasks, n);
    return {first, of(itasks - first)};
  }
  static constexpr uint64_t steals(uint64_t itasks) { return itasks; }
};

// The items lie in a ring. Positions count them since the start and never wrap;
// the item at a position lies at that position modulo the ring's size. All
// ranks' rings have one size, so a thief knows by itself where a block wraps
// (icpp21 §4, example 1).
//
// The shared part [tail, split) is that of the derived class, `Shared`, which
// has for the owner:
//
//   offers_any()          Whether thieves can take some; false for good, until
//                         release. Cost: none.
//   release(begin, n)     Offers the n items at `begin`, or fewer where it
//                         cannot offer so many, and returns how many. 0: none
//                         now, as thieves are about; does not wait. REQUIRES:
//                         !offers_any(), n > 0, begin is the split.
//   acquire(all)          Takes back the youngest of what thieves can take, as
//                         many as the policy says or all of them, and returns
//                         how many. All: none where they could not be offered
//                         again at once.
//   reclaim()             A position below which nobody uses anything.
template <typename Shared, typename ItemType>
class SplitQueue {
 public:
  using Item = ItemType;

  // ----------------------------------------------------------------- the owner

  // Cost: none; where thieves have nothing left, that of a release.
  [[gnu::always_inline]] void push(const Item& item) {
    const auto fill = [&](Item* place) { *place = item; };
    if (!push_at_once(fill)) [[unlikely]]
      push_in_full(Item(item));
  }

  // The fast paths (stealable_queue.h): where thieves have something to take,
  // and for a pop the local part has two items at least.
  template <typename Fill>
  [[gnu::always_inline]] bool push_at_once(Fill fill) {
    if (!shared().offers_any() || head_ >= room_end_) [[unlikely]]
      return false;
    fill(rma::plain_write(&at(head_)));
    ++head_;
    return true;
  }
  template <typename Wanted>
  [[gnu::always_inline]] bool pop_at_once(Wanted wanted) {
    if (!shared().offers_any() || head_ - split_ < 2) [[unlikely]]
      return false;
    if (!wanted(at(head_ - 1))) [[unlikely]]
      return false;
    --head_;
    return true;
  }

  // For a thief's loot, of which it takes one first. REQUIRES: there is room.
  // Cost: none.
  void push_all(std::span<const Item> items) {
    check(items.size() <= room(), "more items than there is room for");
    for (const Item& item : items) *rma::plain_write(&at(head_++)) = item;
  }

  // Cost: none; where the local part is empty that of an acquire, and where
  // thieves have nothing left that of a release.
  [[gnu::always_inline]] const Item* pop() {
    if (head_ == split_ && !acquire()) [[unlikely]]
      return nullptr;
    --head_;
    share();
    return &at(head_);
  }

  [[gnu::always_inline]] void share() {
    if (head_ != split_ && !shared().offers_any()) [[unlikely]]
      release();
  }

  // Offers all items, also where thieves have something to take: takes that
  // back before. Cost: that of an acquire and of a release; none where all are
  // offered.
  bool offer_all() {
    if (head_ == split_) return false;
    split_ -= shared().acquire(true);
    if (shared().offers_any()) return false;
    const uint64_t released = shared().release(split_, head_ - split_);
    split_ += released;
    return released > 0;
  }

  bool empty() const { return head_ == split_ && !shared().offers_any(); }

  // Cost: none.
  [[gnu::always_inline]] bool full() {
    return head_ >= room_end_ && room() == 0;
  }
  // Number of items that there is room for.
  [[gnu::noinline]] size_t room() {
    // icpp21's progress. After new claims a sum of notices may tell less than
    // before.
    room_end_ = std::max(room_end_, shared().reclaim() + capacity_);
    return room_end_ - head_;
  }

 protected:
  // Collective.
  explicit SplitQueue(const QueueOptions& options)
      : capacity_(options.capacity),
        mask_(std::bit_ceil(capacity_) - 1),
        ring_(rma::allocate<Item>(mask_ + 1, "task")),
        own_(ring_.local()),
        room_end_(capacity_) {}
  static size_t ring_bytes(const QueueOptions& options) {
    return rma::allocated_bytes<Item>(std::bit_ceil(options.capacity));
  }

  // Number of `shared` items that an acquire leaves to thieves: half (icpp21
  // §3.1, §4.1). An odd one goes to the side that has nothing, as in release().
  static constexpr uint64_t left_to_thieves(uint64_t shared, bool all) {
    return all ? 0 : shared / 2;
  }

  uint64_t index_of(uint64_t position) const { return position & mask_; }

  // Copies a block of `rank`'s ring, which begins at a position or an index.
  // The span returned holds until the next call. Cost: 1 get, 2 where the block
  // wraps.
  std::span<const Item> copy(int rank, uint64_t begin, uint64_t n) {
    copied_.resize(std::max<size_t>(copied_.size(), n));
    for (uint64_t done = 0, part; done < n; done += part) {
      const uint64_t index = index_of(begin + done);
      part = std::min(n - done, mask_ + 1 - index);
      const auto from = ring_.at(rank) + index;
      rma::get(&copied_[done], {from.rank, from.offset}, part * sizeof(Item));
    }
    return {copied_.data(), n};
  }

 private:
  Item& at(uint64_t position) const { return own_[index_of(position)]; }
  Shared& shared() { return static_cast<Shared&>(*this); }
  const Shared& shared() const { return static_cast<const Shared&>(*this); }

  [[gnu::noinline]] void push_in_full(Item item) {
    if (full()) rma::fatal("internal error: a push onto a full queue");
    *rma::plain_write(&at(head_)) = item;
    ++head_;
    share();
  }
  // Gives thieves half of the local part, and the only item of a busy rank.
  [[gnu::noinline]] void release() {
    split_ += shared().release(split_, (head_ - split_ + 1) / 2);
  }
  [[gnu::noinline]] bool acquire() {
    const uint64_t taken = shared().acquire(false);
    split_ -= taken;
    return taken > 0;
  }

  const size_t capacity_;
  const uint64_t mask_;  // the ring's size, less one
  const rma::RemotePtr<Item> ring_;
  Item* const own_;
  std::vector<Item> copied_;
  uint64_t head_ = 0;
  uint64_t split_ = 0;
  // reclaimed + capacity, as it was last known.
  uint64_t room_end_;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_SPLIT_QUEUE_H_
