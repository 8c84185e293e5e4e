// barrier separates phases; broadcast and reduce agree with a sequential model,
// in any mixture.

#include <algorithm>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// In each round another rank is late, and long enough for a barrier that does
// not wait for it to let the others through. What they see of it and of each
// other must be this round's.
SPMD_TEST(RmaCollectives, BarrierWaitsForEveryone) {
  const auto phase = rma::allocate<rma::Word>();
  for (uint64_t round = 1; round <= 60; ++round) {
    const bool late = static_cast<int>(round) % rma::size() == rma::rank();
    if (late) rma::compute(300'000);
    phase.local()->store(round);
    rma::barrier();
    for (int r = 0; r < rma::size(); ++r)
      ASSERT_EQ(rma::get_word(phase.at(r)), round) << "of rank " << r;
    rma::barrier();
  }
}

// Puts, and an owner's plain stores, are visible after the barrier.
SPMD_TEST(RmaCollectives, BarrierPublishesPlainStores) {
  constexpr size_t kNumbers = 500;
  const auto numbers = rma::allocate<std::array<uint64_t, kNumbers>>();
  for (uint64_t round = 1; round <= 40; ++round) {
    numbers.local()->fill(round);
    rma::barrier();
    const auto seen = rma::get(numbers.at(neighbour(1)));
    ASSERT_TRUE(std::all_of(seen.begin(), seen.end(),
                            [&](uint64_t n) { return n == round; }));
    rma::barrier();
    std::array<uint64_t, kNumbers> sent;
    sent.fill(~round);
    rma::put(numbers.at(neighbour(1)), sent);
    complete_all();
    for (uint64_t n : *numbers.local()) ASSERT_EQ(n, ~round);
    rma::barrier();
  }
}

void expect_broadcast(size_t bytes, int root) {
  const std::vector<std::byte> sent =
      random_bytes(bytes, bytes * 64 + static_cast<uint64_t>(root));
  constexpr auto kGuard = std::byte{0x5A};
  std::vector<std::byte> buffer(bytes + 2, kGuard);
  if (rma::rank() == root)
    std::copy(sent.begin(), sent.end(), buffer.begin() + 1);
  rma::broadcast(buffer.data() + 1, bytes, root);
  EXPECT_TRUE(equal_bytes(buffer.data() + 1, sent))
      << bytes << " bytes from " << root;
  EXPECT_EQ(buffer.front(), kGuard);
  EXPECT_EQ(buffer.back(), kGuard);
}

SPMD_TEST(RmaCollectives, BroadcastFromEachRoot) {
  for (size_t bytes : {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097,
                       65'537, 1 << 20}) {
    for (int root = 0; root < rma::size(); ++root)
      expect_broadcast(bytes, root);
  }
}

struct Reducing {
  rma::Reduction kind;
  uint64_t (*combine)(uint64_t a, uint64_t b);
};

constexpr Reducing kReductions[] = {
    {rma::Reduction::kSum, [](uint64_t a, uint64_t b) { return a + b; }},
    {rma::Reduction::kMin,
     [](uint64_t a, uint64_t b) { return a < b ? a : b; }},
    {rma::Reduction::kMax,
     [](uint64_t a, uint64_t b) { return a < b ? b : a; }},
};
constexpr Reducing kSum = kReductions[0];

// Numbers, most of which differ everywhere; some have the greatest value on one
// rank and are 0 on the others.
uint64_t number(int rank, size_t i, uint64_t round) {
  const uint64_t x = (static_cast<uint64_t>(rank) + 1) * 0x9E3779B97F4A7C15 +
                     i * 0xBF58476D1CE4E5B9 + round;
  if (i % 16 != 0) return x ^ x >> 31;
  return static_cast<int>(i / 16) % rma::size() == rank ? ~uint64_t{0} : 0;
}

void expect_reduce(size_t count, Reducing reducing, uint64_t round) {
  std::vector<uint64_t> values(count + 1, 77), expected(count + 1, 77);
  for (size_t i = 0; i < count; ++i) {
    values[i] = number(rma::rank(), i, round);
    expected[i] = number(0, i, round);
    for (int r = 1; r < rma::size(); ++r)
      expected[i] = reducing.combine(expected[i], number(r, i, round));
  }
  rma::reduce(values.data(), count, reducing.kind);
  EXPECT_EQ(values, expected)
      << count << " values, reduction " << static_cast<int>(reducing.kind);
}

SPMD_TEST(RmaCollectives, ReduceMatchesModel) {
  for (size_t count : {0, 1, 2, 3, 17, 511, 512, 513, 1000, 50'000}) {
    for (auto reducing : kReductions) expect_reduce(count, reducing, count);
  }
}

// Many values at a time, where ranks add to the same ones at the same time.
SPMD_TEST(RmaCollectives, LargeSums) {
  for (uint64_t round = 0; round < 40; ++round) {
    expect_reduce(8192, kSum, round);
  }
}

// Ranks enter and leave at different times; one collective's data never reaches
// the next.
SPMD_TEST(RmaCollectives, MixedAndSkewed) {
  constexpr uint64_t kRounds = 200;
  const auto counter = rma::allocate<rma::Word>();
  std::mt19937_64 together(1), alone(this_rank());
  for (uint64_t round = 1; round <= kRounds; ++round) {
    if (alone() % 4 == 0) rma::compute(alone() % 30'000);
    rma::fetch_add(counter.at(neighbour(1)), 1);
    const size_t count = together() % 100;
    const uint64_t which = together() % 5;
    if (which < std::size(kReductions)) {
      expect_reduce(count, kReductions[which], round);
    } else if (which == 3) {
      rma::barrier();
    } else {
      expect_broadcast(count, static_cast<int>(together() % rank_count()));
    }
  }
  rma::barrier();
  EXPECT_EQ(counter.local()->load(), kRounds);
}

}  // namespace
}  // namespace magpie
