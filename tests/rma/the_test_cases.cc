// The smallest THE queue (hpdc15 Fig. 6; Frigo, Leiserson, Randall 1998) over
// the shim: rank 0 pushes and pops with words, all others steal with
// operations. Every item is taken exactly once.
//
// [base, top) are the items. The owner moves top, thieves move base under the
// lock. Either announces what it takes, fences, and then looks whether the
// other announced the same item.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

constexpr uint64_t kItems = 30'000;
constexpr uint64_t kCapacity = 64;
constexpr uint64_t kNone = ~uint64_t{0};

struct Queue {
  alignas(64) rma::Word lock;
  alignas(64) rma::Word base;
  alignas(64) rma::Word top;
  alignas(64) std::array<rma::Word, kCapacity> items;
};

bool try_lock(rma::RemotePtr<Queue> queue) {
  return rma::swap(rma::remote_field(queue, &Queue::lock), 1) == 0;
}
void unlock(rma::RemotePtr<Queue> queue) {
  rma::flush(queue.rank);
  rma::swap(rma::remote_field(queue, &Queue::lock), 0);
}

// A thief's announcement can be off by one where it is taken back, hence half
// of the capacity.
bool push(Queue* queue, uint64_t item) {
  const uint64_t top = queue->top.load();
  if (static_cast<int64_t>(top - queue->base.load()) >=
      static_cast<int64_t>(kCapacity / 2))
    return false;
  queue->items[top % kCapacity].store(item);
  queue->top.store(top + 1);
  return true;
}

uint64_t pop(rma::RemotePtr<Queue> remote) {
  Queue* const queue = remote.local();
  const uint64_t last = queue->top.load() - 1;
  queue->top.store(last);
  rma::Word::fence();
  if (static_cast<int64_t>(queue->base.load() - last) <= 0)
    return queue->items[last % kCapacity].load();
  queue->top.store(last + 1);
  wait_until([&] { return try_lock(remote); });
  const bool there = queue->base.load() == last;
  if (there) queue->top.store(last);
  const uint64_t item = queue->items[last % kCapacity].load();
  unlock(remote);
  return there ? item : kNone;
}

uint64_t steal(rma::RemotePtr<Queue> queue) {
  if (!try_lock(queue)) return kNone;
  const auto base_word = rma::remote_field(queue, &Queue::base);
  const uint64_t base = rma::get_word(base_word);
  rma::put_word(base_word, base + 1);
  rma::flush(queue.rank);
  const uint64_t top = rma::get_word(rma::remote_field(queue, &Queue::top));
  uint64_t item = kNone;
  if (static_cast<int64_t>(top - base) > 0) {
    const auto items = rma::remote_field(queue, &Queue::items);
    item = rma::get_word(
        {queue.rank, items.offset + base % kCapacity * sizeof(rma::Word)});
  } else {
    rma::put_word(base_word, base);
  }
  unlock(queue);
  return item;
}

SPMD_TEST(RmaThe, EveryItemIsTakenOnce) {
  const auto queue = rma::allocate<Queue>().at(0);
  const auto over = rma::allocate<rma::Word>();
  std::vector<uint64_t> taken(kItems);
  const auto take = [&](uint64_t item) {
    if (item != kNone) ++taken.at(item);
    return item != kNone;
  };
  rma::barrier();
  if (rma::rank() == 0) {
    std::mt19937_64 random(1);
    for (uint64_t next = 0; next < kItems;) {
      for (uint64_t n = random() % 4; n > 0 && next < kItems; --n)
        next += push(queue.local(), next);
      for (uint64_t n = random() % 4; n > 0 && take(pop(queue)); --n) {
      }
      if (random() % 32 == 0) rma::idle();
    }
    while (take(pop(queue))) {
    }
    for (int r = 1; r < rma::size(); ++r) rma::put_word(over.at(r), 1);
  } else {
    while (over.local()->load() == 0) {
      if (!take(steal(queue))) rma::idle();
    }
  }
  rma::flush_all();
  EXPECT_TRUE(all_ranks_sum_to(taken, 1));
}

}  // namespace
}  // namespace magpie
