#include "common/run/shared_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

SharedMax beginning_with(int64_t first) {
  SharedMax max;
  max.allocate(first);
  rma::barrier();
  return max;
}

SPMD_TEST(SharedMax, NegativeNumbersAreLess) {
  const auto max = beginning_with(INT64_MIN);
  EXPECT_EQ(max.get(), INT64_MIN);
  for (const int64_t value : {INT64_MIN + 1, -1l, 0l, 1l, INT64_MAX}) {
    rma::barrier();
    if (rma::rank() == 0) {
      max.raise(value);
      max.raise(value - 1);
    }
    rma::barrier();
    EXPECT_EQ(max.get(), value);
  }
}

// Reading, and raising to what is no more, cost nothing.
SPMD_TEST(SharedMax, ARaiseTellsEachRankOnce) {
  const auto max = beginning_with(10);
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(max.get(), 10); }), Costs{});
  EXPECT_EQ(costs_of([&] { max.raise(-5); }), Costs{});
  rma::barrier();
  if (rma::rank() == rma::size() - 1) {
    EXPECT_EQ(costs_of([&] { max.raise(11); }),
              (Costs{.gets = 2,
                     .swaps = 1,
                     .puts_nb = static_cast<uint64_t>(rma::size())}));
    EXPECT_EQ(costs_of([&] { max.raise(11); }), Costs{});
  }
  rma::barrier();
  EXPECT_EQ(max.get(), 11);
}

// All ranks raise the maximum at once, each to some numbers of its own: in
// between each finds what somebody gave, in the end the maximum.
SPMD_TEST(SharedMax, IsExactAfterARace) {
  constexpr int kRaises = 3;
  const auto max = beginning_with(0);
  const uint64_t rounds = spmd::rounds(3000, 8);
  for (uint64_t round = 1; round <= rounds; ++round) {
    // Every rank draws all ranks' numbers.
    std::mt19937_64 random(round);
    const auto base = static_cast<int64_t>(1000 * round);
    int64_t expected = 0;
    std::vector<int64_t> all, mine;
    for (int i = 0; i < kRaises * rma::size(); ++i) {
      all.push_back(base + static_cast<int64_t>(random() % 100));
      expected = std::max(expected, all.back());
      if (i % rma::size() == rma::rank()) mine.push_back(all.back());
    }
    for (const int64_t value : mine) {
      max.raise(value);
      const int64_t seen = max.get();
      EXPECT_TRUE(seen < base || std::ranges::count(all, seen) > 0) << seen;
      EXPECT_LE(seen, expected);
    }
    rma::barrier();
    EXPECT_EQ(max.get(), expected) << "round " << round;
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie
