#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "common/rma/sim/exploration/chance.h"
#include "common/rma/sim/exploration/store_buffer.h"

namespace magpie::rma::sim {
namespace {

using Values = std::array<uint64_t, 3>;

// Values that others see of the words.
Values others_see(StoreBuffer& buffer, const Values& words) {
  Values seen;
  buffer.as_others_see([&] { seen = words; });
  return seen;
}

// An atomic of another rank finds what others see, and the owner's younger
// store replaces its result.
TEST(StoreBuffer, WhatOthersChangeLastsUntilTheStoreIsLetOut) {
  Values words = {1, 2, 3};
  StoreBuffer buffer;
  buffer.store(&words[0], 10, 5, 77);
  EXPECT_EQ(buffer.let_out(76), std::nullopt);
  buffer.as_others_see([&] {
    EXPECT_EQ(words[0]++, 1u);
    ++words[2];
  });
  EXPECT_EQ(words, (Values{10, 2, 4}));
  EXPECT_EQ(others_see(buffer, words), (Values{2, 2, 4}));
  EXPECT_EQ(buffer.let_out_oldest(), 10u);
  EXPECT_EQ(others_see(buffer, words), (Values{10, 2, 4}));
}

// Values that the owner writes plainly, before others can reach the word, are
// not what they see of it later.
TEST(StoreBuffer, OthersSeeTheValueThatIsLetOut) {
  Values words = {};
  StoreBuffer buffer;
  buffer.store(&words[0], 10, 5, 0);
  words[0] = 15;
  buffer.store(&words[0], 20, 6, 1);
  EXPECT_EQ(others_see(buffer, words), (Values{0, 0, 0}));
  EXPECT_EQ(buffer.let_out(0), 10u);
  EXPECT_EQ(others_see(buffer, words), (Values{10, 0, 0}));
  EXPECT_EQ(buffer.let_out(1), 20u);
  EXPECT_EQ(others_see(buffer, words), (Values{20, 0, 0}));
}

// A plain write hides behind what it replaces, however often it is done, also
// what another rank writes there; its word's own store comes out with it.
TEST(StoreBuffer, PlainWritesAreSeenWhenTheyAreLetOut) {
  Values words = {1, 2, 3};
  StoreBuffer buffer;
  for (uint64_t value : {10, 20}) {
    buffer.write_plainly(words);
    words = {value, value, value};
    EXPECT_EQ(others_see(buffer, words), (Values{1, 2, 3}));
  }
  buffer.store(&words[0], 30, 5, 0);
  EXPECT_EQ(others_see(buffer, words), (Values{20, 2, 3}));
  buffer.write_plainly(words);
  words[0] = 40;
  EXPECT_EQ(others_see(buffer, words), (Values{20, 2, 3}));
  buffer.let_plain_writes_out();
  EXPECT_EQ(others_see(buffer, words), (Values{20, 20, 20}));
  EXPECT_EQ(buffer.let_out_oldest(), 30u);
  EXPECT_EQ(others_see(buffer, words), (Values{40, 20, 20}));
}

// Times when three stores are due: to word 0, to word 1 in the given order, and
// to word 0. Each could by itself be seen earlier than the one before it.
std::vector<Time> due_times(MemoryModel model, StoreOrder second) {
  Values words = {};
  StoreBuffer buffer;
  std::vector<Time> times;
  const auto store = [&](uint64_t* word, StoreOrder order) {
    const Time time = 100 - 10 * times.size();
    times.push_back(buffer.due(word, model, order, time));
    buffer.store(word, 1, times.back(), times.size());
  };
  store(&words[0], StoreOrder::kRelaxed);
  store(&words[1], second);
  store(&words[0], StoreOrder::kRelaxed);
  return times;
}

TEST(StoreBuffer, StoresPassWhatTheModelLetsThemPass) {
  using enum MemoryModel;
  using enum StoreOrder;
  EXPECT_EQ(due_times(kTso, kRelaxed), (std::vector<Time>{100, 101, 102}));
  EXPECT_EQ(due_times(kTso, kRelease), (std::vector<Time>{100, 101, 102}));
  EXPECT_EQ(due_times(kPso, kRelaxed), (std::vector<Time>{100, 90, 101}));
  EXPECT_EQ(due_times(kPso, kRelease), (std::vector<Time>{100, 101, 101}));
}

// Random programs under each model, compared with a queue of values for each
// word. Stores are let out when they are due, in any order at one time, or by a
// fence.
TEST(StoreBuffer, AgreesWithAQueueForEachWord) {
  struct Event {
    Time time;
    uint64_t ticket;
  };
  std::mt19937_64 random(1);
  for (MemoryModel model : {MemoryModel::kTso, MemoryModel::kPso}) {
    Values words = {}, seen = {};
    std::array<std::deque<uint64_t>, 3> unseen;
    std::vector<Event> events;
    StoreBuffer buffer;
    const auto becomes_seen = [&](uint64_t value) {
      const size_t w = value % 3;
      ASSERT_EQ(unseen[w].front(), value);
      unseen[w].pop_front();
      seen[w] = value;
    };
    for (uint64_t step = 1; step < 20'000; ++step) {
      const uint64_t kind = random() % 10;
      if (kind < 5) {
        const uint64_t value = 3 * step + random() % 3;
        const auto order = static_cast<StoreOrder>(random() % 2);
        uint64_t* const word = &words[value % 3];
        const Time due = buffer.due(word, model, order, step + random() % 20);
        buffer.store(word, value, due, step);
        unseen[value % 3].push_back(value);
        events.push_back({due, step});
      } else if (kind == 5 && random() % 10 == 0) {
        while (!buffer.empty()) becomes_seen(buffer.let_out_oldest());
      }
      std::erase_if(events, [&](const Event& event) {
        if (event.time > step) return false;
        if (const auto value = buffer.let_out(event.ticket))
          becomes_seen(*value);
        return true;
      });
      for (size_t w = 0; w < 3 && !unseen[w].empty(); ++w)
        ASSERT_EQ(words[w], unseen[w].back());
      ASSERT_EQ(others_see(buffer, words), seen);
    }
  }
}

// ---------------------------------------------------------------------- chance

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

// Its high bits are //common/rma/sim/engine:engine_test's.
TEST(Chance, AnOrderIsUnique) {
  Chance chance(1, kUsual);
  for (uint64_t i = 0; i < kDraws; ++i)
    EXPECT_EQ(chance.order(i) & 0xffffffff, i);
}

}  // namespace
}  // namespace magpie::rma::sim
