#include "common/rma/sim/engine/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

namespace magpie::rma::sim {
namespace {

using Kind = Collective::Kind;
using Values = std::array<uint64_t, 3>;

Collective::Call reduction(Reduction r) {
  return {.kind = Kind::kReduce, .bytes = sizeof(Values), .reduction = r};
}

// All of `data` enter in the order of `ranks`, and all leave with the result.
std::vector<Values> run(Collective& c, const Collective::Call& call,
                        std::vector<Values> data,
                        const std::vector<int>& ranks) {
  uint64_t round = 0;
  for (int r : ranks) {
    EXPECT_TRUE(
        c.enter(call, r, data[static_cast<size_t>(r)].data(), 0, &round));
  }
  c.next_round();
  for (Values& values : data) c.collect(round, values.data(), call.bytes);
  return data;
}

const Network& net() {
  static const Network* const kNet = new Network(parse_network("ito_a"));
  return *kNet;
}

uint64_t combined(Reduction r, uint64_t a, uint64_t b) {
  if (r == Reduction::kSum) return a + b;
  return r == Reduction::kMin ? std::min(a, b) : std::max(a, b);
}

TEST(Collective, ReducesInWhateverOrderRanksCome) {
  std::mt19937_64 random(1);
  for (int count : {1, 2, 5, 20}) {
    Collective c(count, net());
    std::vector<int> ranks(static_cast<size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    for (Reduction r : {Reduction::kSum, Reduction::kMin, Reduction::kMax}) {
      std::vector<Values> data(ranks.size());
      for (Values& values : data) values = {random(), random() % 5, ~random()};
      Values expected = data[0];
      for (size_t i = 1; i < data.size(); ++i) {
        for (size_t k = 0; k < expected.size(); ++k)
          expected[k] = combined(r, expected[k], data[i][k]);
      }
      std::shuffle(ranks.begin(), ranks.end(), random);
      EXPECT_EQ(run(c, reduction(r), data, ranks),
                std::vector<Values>(data.size(), expected));
    }
  }
}

TEST(Collective, BroadcastsTheRootsWheneverItComes) {
  Collective c(3, net());
  const std::vector<Values> data = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  for (int root : {0, 1, 2}) {
    for (const std::vector<int>& ranks :
         {std::vector{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
      const Collective::Call call = {
          .kind = Kind::kBroadcast, .bytes = sizeof(Values), .root = root};
      EXPECT_EQ(run(c, call, data, ranks),
                std::vector<Values>(3, data[static_cast<size_t>(root)]));
    }
  }
}

// Who comes out late still finds its own round's result, when others are in the
// next already.
TEST(Collective, TwoRoundsDoNotMix) {
  Collective c(2, net());
  const Collective::Call call = reduction(Reduction::kSum);
  uint64_t first, second;
  Values ones = {1, 1, 1}, tens = {10, 10, 10};
  c.enter(call, 0, ones.data(), 0, &first);
  c.enter(call, 1, ones.data(), 0, &first);
  c.next_round();
  c.collect(first, ones.data(), sizeof(ones));
  EXPECT_EQ(ones, (Values{2, 2, 2}));
  c.enter(call, 0, tens.data(), 0, &second);
  Values late = {};
  c.collect(first, late.data(), sizeof(late));
  EXPECT_EQ(late, (Values{2, 2, 2}));
  c.enter(call, 1, tens.data(), 0, &second);
  c.next_round();
  c.collect(second, late.data(), sizeof(late));
  EXPECT_EQ(late, (Values{20, 20, 20}));
}

TEST(Collective, RefusesWhatOthersDoNot) {
  const Collective::Call calls[] = {
      {},
      {.kind = Kind::kBroadcast, .bytes = 24, .root = 0},
      {.kind = Kind::kBroadcast, .bytes = 24, .root = 1},
      {.kind = Kind::kBroadcast, .bytes = 16, .root = 0},
      reduction(Reduction::kSum),
      reduction(Reduction::kMin),
      {.kind = Kind::kReduce, .bytes = 8, .reduction = Reduction::kSum}};
  Values values = {};
  uint64_t round;
  for (const Collective::Call& first : calls) {
    for (const Collective::Call& second : calls) {
      Collective c(2, net());
      EXPECT_TRUE(c.enter(first, 0, values.data(), 0, &round));
      EXPECT_EQ(c.enter(second, 1, values.data(), 0, &round),
                &first == &second);
    }
  }
}

// What a round costs: //tests/sim:cost_test.
TEST(Collective, EndsAfterTheLatestOfThisRound) {
  Collective c(3, net());
  uint64_t round;
  const auto end_of = [&](std::initializer_list<Time> clocks) {
    for (Time clock : clocks) {
      EXPECT_FALSE(c.complete());
      c.enter({}, 0, nullptr, clock, &round);
    }
    EXPECT_TRUE(c.complete());
    EXPECT_EQ(c.entered(), 3);
    const Time end = c.end();
    c.next_round();
    EXPECT_EQ(c.entered(), 0);
    return end;
  };
  const Time cost = end_of({0, 0, 0});
  EXPECT_GT(cost, 0u);
  EXPECT_EQ(end_of({5, 9, 2}), cost + 9);
  EXPECT_EQ(end_of({1, 0, 0}), cost + 1);
}

}  // namespace
}  // namespace magpie::rma::sim
