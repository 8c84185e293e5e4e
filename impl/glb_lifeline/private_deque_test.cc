// Thieves of this queue are its owner alone: here are those cases of the suite
// of stealable queues in which they are.

#include "impl/glb_lifeline/private_deque.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/rma.h"
#include "common/stealing/stealable_queue_suite.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie::glb {
namespace {

using queue_suite::Item;
using Queue = PrivateDeque<Item>;

static_assert(StealableQueue<Queue>);

SPMD_CASE(PrivateDeque, AgainstAModel, queue_suite::against_a_model<Queue>())
SPMD_CASE(PrivateDeque, HoldsItsCapacity,
          queue_suite::holds_its_capacity<Queue>())
SPMD_CASE(PrivateDeque, RoomWithoutPops,
          queue_suite::room_without_pops<Queue>())

// A steal takes half, rounded down, or the only item, and no more than it is
// told, for nothing.
SPMD_TEST(PrivateDeque, GivesTheOldestHalf) {
  const auto steal = [](size_t n, size_t most) {
    Queue queue({.capacity = 20});
    const auto own = queue.remote(rma::rank());
    for (size_t i = 0; i < n; ++i) queue.push(queue_suite::item(i));
    EXPECT_EQ(queue.offered(own), n);
    size_t taken = 0;
    const auto take = [&](std::span<const Item> items) {
      taken = items.size();
    };
    EXPECT_EQ(queue.steal(own, take, most),
              n > 0 ? Outcome::kTaken : Outcome::kEmpty);
    EXPECT_EQ(queue.offered(own), n - taken);
    EXPECT_EQ(taken, std::min(most, n == 1 ? 1 : n / 2));
  };
  for (size_t n = 0; n <= 20; ++n) {
    for (const size_t most : {size_t{1}, size_t{4}, SIZE_MAX})
      EXPECT_EQ(costs_of([&] { steal(n, most); }), Costs{});
  }
}

}  // namespace
}  // namespace magpie::glb
