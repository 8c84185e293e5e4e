#include "common/rma/sim/exploration/chance.h"

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
    draws.push_back(chance.order(7));
    draws.push_back(chance.reads_late());
    draws.push_back(chance.apart());
    draws.push_back(chance.keeps_back());
    draws.push_back(chance.rest(kUsual));
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
  const struct {
    std::function<Time(Chance&)> draw;
    Time longest;
  } kinds[] = {
      {[](Chance& c) { return c.pause(); }, 64},
      {[](Chance& c) { return c.latency(kUsual) - kUsual; }, 32},
      {[](Chance& c) { return c.unseen(); }, 16},
      {[](Chance& c) { return c.apart(); }, 16},
  };
  for (const auto& [draw, longest] : kinds) {
    SCOPED_TRACE(longest);
    const std::map<Time, int> count = largest(draw);
    EXPECT_GT(count.at(0), 20);
    EXPECT_GE(count.rbegin()->first, longest - longest / 16);
    EXPECT_LE(count.rbegin()->first, longest + 1);
  }
}

// Seeds keep back from none to all operations.
TEST(Chance, SeedsKeepBackDifferentNumbers) {
  std::map<int, int> count;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Chance chance(seed, kUsual);
    int kept = 0;
    for (int i = 0; i < kDraws; ++i) kept += chance.keeps_back();
    ++count[10 * kept / kDraws];
  }
  for (int tenths : {0, 1, 5, 10}) EXPECT_GT(count[tenths], 20) << tenths;
}

// A rest takes all of the time, or a part of it.
TEST(Chance, RestsAreNeverLongerThanAsked) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Chance chance(seed, kUsual);
    EXPECT_EQ(chance.rest(1), 1u);
    int whole = 0, short_ones = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Time time = chance.rest(1000);
      EXPECT_TRUE(time >= 1 && time <= 1000) << time;
      whole += time == 1000;
      short_ones += time <= 500;
    }
    EXPECT_NEAR(whole, kDraws / 2, kDraws / 10);
    EXPECT_NEAR(short_ones, kDraws / 4, kDraws / 10);
  }
}

TEST(Chance, WithoutASeedNothingIsDrawn) {
  Chance chance;
  EXPECT_FALSE(chance.explores());
  EXPECT_EQ(chance.pause(), 0u);
  EXPECT_EQ(chance.latency(5), 5u);
  EXPECT_EQ(chance.unseen(), 0u);
  EXPECT_EQ(chance.apart(), 0u);
  EXPECT_EQ(chance.rest(5), 5u);
  EXPECT_FALSE(chance.keeps_back());
  EXPECT_EQ(chance.order(uint64_t{7} << 40), uint64_t{7} << 40);
  EXPECT_TRUE(chance.reads_late());
  EXPECT_TRUE(Chance(1, kUsual).explores());
}

TEST(Chance, IsFair) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Chance chance(seed, kUsual);
    int late = 0, high = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
      late += chance.reads_late();
      const uint64_t order = chance.order(i);
      EXPECT_EQ(order & 0xffffffff, i) << "or it is not unique";
      high += order >> 63 != 0;
    }
    EXPECT_NEAR(late, kDraws / 2, kDraws / 10);
    EXPECT_NEAR(high, kDraws / 2, kDraws / 10);
  }
}

}  // namespace
}  // namespace magpie::rma::sim
