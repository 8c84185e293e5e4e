// The rank itself: numbers, nodes, clock.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

SPMD_TEST(RmaRank, NumbersAreDense) {
  EXPECT_TRUE(same_on_all_ranks({rank_count()}));
  std::vector<uint64_t> present(rank_count());
  ++present.at(this_rank());
  EXPECT_TRUE(all_ranks_sum_to(present, 1));
}

// All ranks have the same idea of which ranks share memory.
SPMD_TEST(RmaRank, Nodes) {
  std::vector<uint64_t> nodes;
  for (int r = 0; r < rma::size(); ++r) {
    EXPECT_GE(rma::node_of(r), 0);
    EXPECT_LT(rma::node_of(r), rma::size());
    nodes.push_back(static_cast<uint64_t>(rma::node_of(r)));
  }
  EXPECT_TRUE(same_on_all_ranks(nodes));
}

SPMD_TEST(RmaRank, ClockNeverGoesBack) {
  uint64_t last = rma::now();
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t now = rma::now();
    ASSERT_GE(now, last);
    last = now;
    if (i % 500 == 0) rma::idle();
  }
}

SPMD_TEST(RmaRank, ComputeTakesItsTime) {
  for (uint64_t nanoseconds : {0, 1, 1000, 2'000'000}) {
    const uint64_t begin = rma::now();
    rma::compute(nanoseconds);
    EXPECT_GE(rma::now() - begin, nanoseconds);
  }
}

// A message does not arrive before it was sent, by the clock that the ranks of
// a node share.
SPMD_TEST(RmaRank, ClockIsCommonToANode) {
  const auto sent = rma::allocate<rma::Word>();
  const bool same_node =
      rma::node_of(neighbour(rma::size() - 1)) == rma::node_of(rma::rank());
  uint64_t last = 0;
  for (int round = 0; round < 50; ++round) {
    rma::put_word(sent.at(neighbour(1)), rma::now() + 1);
    wait_until([&] { return sent.local()->load() != 0; });
    const uint64_t arrival = rma::now(), departure = sent.local()->load() - 1;
    if (same_node) {
      ASSERT_GE(arrival, departure);
    }
    ASSERT_GE(arrival, last);
    last = arrival;
    complete_all();
    sent.local()->store(0);  // nobody sends between the barriers
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie
