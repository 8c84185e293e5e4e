#include "common/stealing/group.h"

#include <gtest/gtest.h>

#include <set>

#include "common/testing/spmd.h"

namespace magpie {
namespace {

TEST(Group, MembersAndRanksNameEachOther) {
  const Group group = {.first = 3, .size = 4};
  std::set<int> ranks;
  for (int member = 0; member < group.size; ++member) {
    const int rank = group.rank(member);
    EXPECT_TRUE(group.has(rank));
    EXPECT_EQ(group.member(rank), member);
    ranks.insert(rank);
  }
  EXPECT_EQ(ranks, (std::set<int>{3, 4, 5, 6}));
  for (const int rank : {0, 2, 7, 8}) EXPECT_FALSE(group.has(rank));
}

TEST(Group, OneRankIsAGroup) {
  const Group group = {.first = 7};
  EXPECT_TRUE(group.has(7));
  EXPECT_FALSE(group.has(6));
  EXPECT_FALSE(group.has(8));
}

// Each rank but the root is the child of exactly one rank, its parent, under
// the number that it knows.
SPMD_TEST(RankTree, IsATree) {
  const auto parents = rma::allocate<rma::Word>();
  rma::barrier();
  EXPECT_EQ(RankTree::is_root(), rma::rank() == 0);
  for (int i = 0; i < RankTree::children(); ++i) {
    const int child = RankTree::child(i);
    ASSERT_LT(child, rma::size());
    const auto said = static_cast<uint64_t>(2 * rma::rank() + i + 1);
    EXPECT_EQ(rma::fetch_add(parents.at(child), said), 0u);
  }
  rma::barrier();
  const auto expected = static_cast<uint64_t>(
      RankTree::is_root() ? 0
                          : 2 * RankTree::parent() + RankTree::number() + 1);
  EXPECT_EQ(parents.local()->load(), expected);
}

}  // namespace
}  // namespace magpie
