#include "common/rma/sim/engine/collective.h"

#include <gtest/gtest.h>

#include <array>

namespace magpie::rma::sim {
namespace {

using Values = std::array<uint64_t, 3>;

const Network& net() {
  static const Network* const kNet = new Network(parse_network("ito_a"));
  return *kNet;
}

// //tests/rma tests the results, for ranks in any order; //tests/sim tests the
// cost of a round, and what is refused.

// A rank that leaves late still finds its own round's result, when others are
// in the next already.
TEST(Collective, TwoRoundsDoNotMix) {
  Collective c(2, net());
  const Collective::Call call = {.kind = Collective::Kind::kReduce,
                                 .bytes = sizeof(Values)};
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

}  // namespace
}  // namespace magpie::rma::sim
