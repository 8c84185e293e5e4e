// Uni-address threads over the simplest queue and heap, with and without
// parents that are stolen wherever they can be; and over THE queue. And the
// ready threads that a rank offers.

#include "impl/uniaddr/threads.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/fork_join/thread_layer_suite.h"
#include "common/remote_heap/asking_heap.h"
#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "common/stealing/stealable_queue.h"
#include "common/testing/spmd.h"
#include "impl/uniaddr/offered_threads.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie::uniaddr {
namespace {

using Simple = Threads<LockedDeque<Item>, AskingHeap, NextVictim>;
using OverThe = Threads<TheQueue<Item>, AskingHeap, RandomVictim>;

template <typename Threads>
typename Threads::Options options(bool forced_steal) {
  typename Threads::Options options;
  options.region_bytes = 1 << 18;
  options.evacuation_bytes = 1 << 16;
  options.search.forced_steal = forced_steal;
  return options;
}

// Most ready threads wait until there is a place for them.
OverThe::Options one_place_for_ready_threads() {
  OverThe::Options options = uniaddr::options<OverThe>(false);
  options.ready_places = 1;
  return options;
}

// ------------------------------------------------------- offered ready threads

constexpr uint64_t kPlaces = 4, kThreads = 3 * kPlaces;

SavedThread thread(uint64_t i) {
  return {{0, 16 * i}, {rma::self().region + 16 * i, 16}};
}
uint64_t number_of(const SavedThread& thread) {
  return thread.frames.offset / 16;
}

// Rank 0 offers as many as there are places for, the longest ready first. Once
// thieves have them all, as many again come into the queue with the next thread
// that is ready, although the owner has taken none back.
SPMD_TEST(OfferedThreads, OthersComeWhereThievesHaveTakenAll) {
  TheQueue<Item> queue({.capacity = kPlaces});
  OfferedThreads<TheQueue<Item>> ready(queue, kPlaces);
  if (rma::rank() == 0)
    for (uint64_t i = 0; i < kThreads - 2; ++i) ready.add(thread(i));
  for (uint64_t round = 0; round < 2; ++round) {
    rma::barrier();
    uint64_t next = round * kPlaces;
    const auto take = [&](std::span<const Item> items) {
      for (const Item& item : items)
        EXPECT_EQ(number_of(item.thread()), next++);
    };
    if (rma::rank() == rma::size() - 1) {
      while (queue.steal(queue.remote(0), take) == Outcome::kTaken) continue;
      EXPECT_EQ(next, (round + 1) * kPlaces);
    }
    rma::flush_all();
    rma::barrier();
    if (rma::rank() == 0) ready.add(thread(kThreads - 2 + round));
  }
  SavedThread own;
  for (uint64_t left = 2 * kPlaces; rma::rank() == 0 && left < kThreads; ++left)
    EXPECT_TRUE(ready.take(&own));
  EXPECT_FALSE(ready.take(&own));
  EXPECT_EQ(ready.taken_here(), rma::rank() == 0 ? kPlaces : 0);
  rma::barrier();
}

// A queue that thieves keep full, although it is empty.
struct NoRoom {
  using Item = uniaddr::Item;
  struct Remote {};

  explicit NoRoom(const QueueOptions&) {}
  static size_t heap_bytes(const QueueOptions&) { return 0; }
  void push(const Item&) { FAIL() << "a push onto a full queue"; }
  const Item* pop() { return nullptr; }
  bool empty() const { return true; }
  bool full() const { return true; }
  void quiesce() {}
  Remote remote(int) const { return {}; }
  template <typename Take>
  Outcome steal(Remote, Take) {
    return Outcome::kEmpty;
  }
};

// The owner takes what the queue has no room for, the longest ready first.
SPMD_TEST(OfferedThreads, WhatTheQueueHasNoRoomForIsTaken) {
  NoRoom queue({.capacity = kPlaces});
  OfferedThreads<NoRoom> ready(queue, kPlaces);
  for (uint64_t i = 0; i < 3; ++i) ready.add(thread(i));
  SavedThread own;
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(ready.empty());
    EXPECT_TRUE(ready.take(&own));
    EXPECT_EQ(number_of(own), i);
  }
  EXPECT_TRUE(ready.empty());
  EXPECT_FALSE(ready.take(&own));
}

}  // namespace

MAGPIE_THREAD_LAYER_SUITE(Simple, Simple, options<Simple>(false));
MAGPIE_THREAD_LAYER_SUITE(SimpleForced, Simple, options<Simple>(true));
MAGPIE_THREAD_LAYER_SUITE(OverThe, OverThe, options<OverThe>(false));
MAGPIE_THREAD_LAYER_SUITE(OnePlace, OverThe, one_place_for_ready_threads());
MAGPIE_THREAD_LAYER_SUITE(OverTheForced, OverThe, options<OverThe>(true));

}  // namespace magpie::uniaddr
