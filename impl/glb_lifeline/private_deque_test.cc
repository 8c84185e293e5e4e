// Thieves of this queue are its owner alone, so that the suite of stealable
// queues cannot be run over it. Here it is against a sequential model.

#include "impl/glb_lifeline/private_deque.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>

#include "common/stealing/stealable_queue.h"
#include "common/testing/spmd.h"

namespace magpie::glb {
namespace {

static_assert(StealableQueue<PrivateDeque<uint64_t>>);
static_assert(requires(const PrivateDeque<uint64_t>& queue) {
  queue.offered(queue.remote(0));
});

constexpr size_t kCapacity = 20;

struct Pair {
  PrivateDeque<uint64_t> queue{{.capacity = kCapacity}};
  std::deque<uint64_t> model;
};

void push(Pair* pair, uint64_t number) {
  if (pair->queue.full()) return;
  pair->queue.push(number);
  pair->model.push_back(number);
}

void pop(Pair* pair) {
  uint64_t item = 0;
  ASSERT_EQ(pair->queue.pop(&item), !pair->model.empty());
  if (pair->model.empty()) return;
  ASSERT_EQ(item, pair->model.back());
  pair->model.pop_back();
}

// Takes the oldest half, rounded down, or the only item.
void steal(Pair* pair) {
  const size_t before = pair->model.size();
  size_t stolen = 0;
  const auto take = [&](std::span<const uint64_t> items) {
    stolen = items.size();
    ASSERT_LE(stolen, before);
    for (const uint64_t item : items) {
      ASSERT_EQ(item, pair->model.front());
      pair->model.pop_front();
    }
  };
  const Outcome outcome =
      pair->queue.steal(pair->queue.remote(rma::rank()), take);
  ASSERT_EQ(outcome, before > 0 ? Outcome::kTaken : Outcome::kEmpty);
  ASSERT_EQ(stolen, before > 0 ? std::max<size_t>(before / 2, 1) : 0);
}

SPMD_TEST(PrivateDeque, AgainstAModel) {
  Pair pair;
  std::mt19937 random(static_cast<unsigned>(rma::rank()) + 1);
  const rma::OpCounters before = rma::self().counters;
  for (uint64_t i = 0; i < spmd::rounds(100000, 5000); ++i) {
    switch (random() % 6) {
      default:
        push(&pair, i);
        break;
      case 3:
      case 4:
        ASSERT_NO_FATAL_FAILURE(pop(&pair)) << "step " << i;
        break;
      case 5:
        ASSERT_NO_FATAL_FAILURE(steal(&pair)) << "step " << i;
        pair.queue.quiesce();
        break;
    }
    ASSERT_EQ(pair.queue.empty(), pair.model.empty());
    ASSERT_EQ(pair.queue.full(), pair.model.size() == kCapacity);
    ASSERT_EQ(pair.queue.offered(pair.queue.remote(rma::rank())),
              pair.model.size());
  }
  EXPECT_EQ((rma::self().counters - before).operations(), 0u);
}

}  // namespace
}  // namespace magpie::glb
