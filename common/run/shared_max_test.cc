#include "common/run/shared_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// Expects that numbers have words in the same order, and come back from them.
template <typename T>
void expect_order(const std::vector<T>& ascending) {
  for (size_t i = 0; i < ascending.size(); ++i) {
    const uint64_t word = internal::ordered_word(ascending[i]);
    EXPECT_EQ(internal::ordered_value<T>(word), ascending[i]);
    if (i > 0) {
      EXPECT_LT(internal::ordered_word(ascending[i - 1]), word) << ascending[i];
    }
  }
}

template <typename T>
std::vector<T> integers() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>)
    return {Limits::min(), Limits::min() + 1, -1, 0, 1, Limits::max()};
  else
    return {0, 1, Limits::max() / 2, Limits::max() / 2 + 1, Limits::max()};
}
template <typename T>
std::vector<T> reals() {
  using Limits = std::numeric_limits<T>;
  return {-Limits::infinity(),  Limits::lowest(),      -1,
          -Limits::min(),       -Limits::denorm_min(), 0,
          Limits::denorm_min(), Limits::epsilon(),     1,
          Limits::max(),        Limits::infinity()};
}

SPMD_TEST(SharedMax, WordsAreInTheOrderOfNumbers) {
  expect_order(integers<int8_t>());
  expect_order(integers<int>());
  expect_order(integers<int64_t>());
  expect_order(integers<uint16_t>());
  expect_order(integers<uint64_t>());
  expect_order(reals<float>());
  expect_order(reals<double>());
  EXPECT_EQ(internal::ordered_word(-0.0), internal::ordered_word(0.0));
}

template <typename T>
SharedMax<T> beginning_with(T first) {
  SharedMax<T> max;
  max.allocate(first);
  rma::barrier();
  return max;
}

SPMD_TEST(SharedMax, IsTheFirstValueUntilItIsRaised) {
  EXPECT_EQ(beginning_with(-7).get(), -7);
  EXPECT_EQ(beginning_with(2.5).exact(), 2.5);
  const double least = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(beginning_with(least).get(), least);
}

// A rank that asks when a raise has returned, with none under way, knows it.
SPMD_TEST(SharedMax, AllRanksKnowWhatOneHasRaised) {
  const auto max = beginning_with(-100);
  for (int raiser = 0; raiser < rma::size(); ++raiser) {
    if (rma::rank() == raiser) {
      max.raise(raiser - 50);
      max.raise(raiser - 60);
    }
    rma::barrier();
    EXPECT_EQ(max.get(), raiser - 50);
    EXPECT_EQ(max.exact(), raiser - 50);
    rma::barrier();
  }
}

SPMD_TEST(SharedMax, ReadingAndWhatIsNoMoreCostNothing) {
  const auto max = beginning_with(10l);
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(max.get(), 10); }), Costs{});
  EXPECT_EQ(costs_of([&] { max.raise(10); }), Costs{});
  EXPECT_EQ(costs_of([&] { max.raise(-5); }), Costs{});
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(max.exact(), 10); }), (Costs{.gets = 1}));
}

SPMD_TEST(SharedMax, ARaiseTellsEachRankOnce) {
  const auto max = beginning_with(10l);
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
  const auto max = beginning_with(int64_t{0});
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
    EXPECT_EQ(max.exact(), expected) << "round " << round;
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie
