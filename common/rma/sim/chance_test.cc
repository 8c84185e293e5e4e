#include "common/rma/sim/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace magpie::rma::sim {
namespace {

constexpr Time kUsual = 1'000'000;
constexpr int kDraws = 2000;
constexpr uint64_t kSeeds = 200;

std::vector<uint64_t> draws(uint64_t seed, Time usual) {
  Chance chance(seed, usual);
  std::vector<uint64_t> draws;
  for (int i = 0; i < kDraws; ++i) {
    draws.push_back(chance.pause());
    draws.push_back(chance.latency(kUsual / 3));
    draws.push_back(chance.unseen());
    draws.push_back(chance.order());
    draws.push_back(chance.coin());
  }
  return draws;
}

TEST(Chance, IsDeterminedByTheSeed) {
  std::set<std::vector<uint64_t>> all;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(draws(seed, kUsual), draws(seed, kUsual));
    all.insert(draws(seed, kUsual));
  }
  EXPECT_EQ(all.size(), 50u);
}

// Look-ahead rests on it: nothing is ever faster than usual.
TEST(Chance, NoMessageIsFasterThanUsual) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (Time usual : {Time{0}, Time{1}, Time{3}, kUsual}) {
      Chance chance(seed, usual);
      for (Time way : {Time{1}, usual, 10 * usual}) {
        for (int i = 0; i < 50; ++i) EXPECT_GE(chance.latency(way), way);
      }
    }
  }
}

// The largest of many draws, seed by seed.
std::map<Time, int> largest(const std::function<Time(Chance&)>& draw) {
  std::map<Time, int> count;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Chance chance(seed, kUsual);
    Time most = 0;
    for (int i = 0; i < kDraws; ++i) most = std::max(most, draw(chance));
    ++count[most / kUsual];
  }
  return count;
}

// Seeds are rough in different ways: from nearly smooth to many ways long.
TEST(Chance, SeedsAreRoughToDifferentDegrees) {
  const auto pauses = largest([](Chance& c) { return c.pause(); });
  EXPECT_GT(pauses.at(0), 20);
  EXPECT_GE(pauses.rbegin()->first, 60u);
  EXPECT_LE(pauses.rbegin()->first, 65u);
  const auto latencies =
      largest([](Chance& c) { return c.latency(kUsual) - kUsual; });
  EXPECT_GT(latencies.at(0), 20);
  EXPECT_GE(latencies.rbegin()->first, 30u);
  EXPECT_LE(latencies.rbegin()->first, 32u);
  const auto unseen = largest([](Chance& c) { return c.unseen(); });
  EXPECT_GT(unseen.at(0), 20);
  EXPECT_GE(unseen.rbegin()->first, 15u);
  EXPECT_LE(unseen.rbegin()->first, 16u);
}

TEST(Chance, IsFair) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Chance chance(seed, kUsual);
    int heads = 0, high = 0;
    for (int i = 0; i < kDraws; ++i) {
      heads += chance.coin();
      const uint64_t order = chance.order();
      EXPECT_LT(order, uint64_t{1} << 32);
      high += order >= uint64_t{1} << 31;
    }
    EXPECT_NEAR(heads, kDraws / 2, kDraws / 10);
    EXPECT_NEAR(high, kDraws / 2, kDraws / 10);
  }
}

}  // namespace
}  // namespace magpie::rma::sim
