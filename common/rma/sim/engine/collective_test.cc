#include "common/rma/sim/engine/collective.h"

#include <gtest/gtest.h>

#include <array>

namespace magpie::rma::sim {
namespace {

using Kind = Collective::Kind;
using Values = std::array<uint64_t, 3>;

Collective::Call reduction(Reduction r) {
  return {.kind = Kind::kReduce, .bytes = sizeof(Values), .reduction = r};
}

const Network& net() {
  static const Network* const kNet = new Network(parse_network("ito_a"));
  return *kNet;
}

// //tests/rma tests the results, for ranks in any order; //tests/sim:cost_test
// tests the cost of a round.

// A rank that leaves late still finds its own round's result, when others are
// in the next already.
TEST(Collective, TwoRoundsDoNotMix) {
  Collective c(2, net());
  const Collective::Call call = reduction(Reduction::kSum);
  uint64_t first, second;
  Values ones = {1, 1, 1}, tens = {10, 10, 10};
  c.enter(call, 0, ones.data(), 0, &first);
  c.enter(call, 1, ones.data(), 0, &first);
  c.complete();
  c.collect(first, ones.data(), sizeof(ones));
  EXPECT_EQ(ones, (Values{2, 2, 2}));
  c.enter(call, 0, tens.data(), 0, &second);
  Values late = {};
  c.collect(first, late.data(), sizeof(late));
  EXPECT_EQ(late, (Values{2, 2, 2}));
  c.enter(call, 1, tens.data(), 0, &second);
  c.complete();
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

}  // namespace
}  // namespace magpie::rma::sim
