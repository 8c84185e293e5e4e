#include "impl/uniaddr/the_queue.h"

#include <span>

#include "common/stealing/stealable_queue_suite.h"
#include "common/testing/costs.h"

namespace magpie {
namespace {

using queue_suite::expect_pop;
using queue_suite::Item;
using queue_suite::item;
using queue_suite::number_of;
using rma::Op;
using Queue = uniaddr::TheQueue<Item>;

// Each rank fills its queue and then robs its neighbour's.
SPMD_TEST(TheQueue, Costs) {
  Queue queue({.capacity = 16});
  Queue bold({.capacity = 16, .empty_check = false});
  const int neighbour = (rma::rank() + 1) % rma::size();
  uint64_t stolen = 0;
  const auto take = [&](std::span<const Item> items) {
    ASSERT_EQ(items.size(), 1u);
    stolen = number_of(items.front());
  };
  const auto steal = [&](const Queue& from, Outcome outcome) {
    EXPECT_EQ(from.steal(from.remote(neighbour), take), outcome);
  };
  EXPECT_EQ(costs_of([&] {
              queue.push(item(1));
              queue.push(item(2));
              queue.push(item(3));
              expect_pop(queue, 3);
              EXPECT_FALSE(queue.empty());
            }),
            Costs{});
  rma::barrier();
  for (const uint64_t oldest : {1, 2}) {
    EXPECT_EQ(costs_of([&] { steal(queue, Outcome::kTaken); }),
              (Costs{.gets = 3, .puts = 1, .fetch_adds = 1, .swaps = 1}));
    EXPECT_EQ(stolen, oldest);
  }
  const uint64_t bytes = rma::self().counters[Op::kGet].bytes;
  EXPECT_EQ(costs_of([&] { steal(queue, Outcome::kEmpty); }),
            (Costs{.gets = 1}));
  EXPECT_EQ(rma::self().counters[Op::kGet].bytes - bytes, 16u);
  EXPECT_EQ(costs_of([&] { steal(bold, Outcome::kEmpty); }),
            (Costs{.gets = 1, .puts = 2, .fetch_adds = 1, .swaps = 1}));
  rma::barrier();
  EXPECT_TRUE(queue.empty());
  // Something was taken since the queue was last empty: only the lock tells
  // that no thief holds it still.
  const Costs locks = {.fetch_adds = 1, .swaps = 1};
  EXPECT_EQ(costs_of([&] { queue.quiesce(); }), locks);
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(queue.pop(), nullptr); }), locks);
  EXPECT_EQ(costs_of([&] { queue.quiesce(); }), Costs{});
  rma::barrier();
}

// A thief keeps the lock while it copies. Others are told so, and the owner
// goes on without it as long as there is more.
SPMD_TEST(TheQueue, ThiefThatCopiesHasTheLock) {
  Queue queue({.capacity = 16});
  const auto self = queue.remote(rma::rank());
  for (uint64_t i = 1; i <= 5; ++i) queue.push(item(i));
  const auto take = [&](std::span<const Item> items) {
    EXPECT_EQ(number_of(items.front()), 1u);
    const auto nothing = [](std::span<const Item>) { FAIL(); };
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(queue.steal(self, nothing), Outcome::kBusy);
    for (uint64_t i = 5; i >= 2; --i) expect_pop(queue, i);
  };
  rma::Word::fence();  // or the thief may not see what the owner did
  EXPECT_EQ(queue.steal(self, take), Outcome::kTaken);
  EXPECT_EQ(queue.pop(), nullptr);
  rma::barrier();
}

}  // namespace
}  // namespace magpie

MAGPIE_STEALABLE_QUEUE_SUITE(TheQueue, magpie::Queue);
