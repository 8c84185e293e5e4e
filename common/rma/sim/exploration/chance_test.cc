#include "common/rma/sim/exploration/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace magpie::rma::sim {
namespace {

constexpr Time kUsual = 1'000'000;
constexpr int kDraws = 2000;
constexpr uint64_t kSeeds = 200;

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
