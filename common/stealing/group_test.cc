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

// Each member but the root is the child of exactly one member, its parent,
// under the number that it knows.
SPMD_TEST(GroupTree, IsATree) {
  for (const int part : {1, 2}) {
    for (int first = 0; first < rma::size(); ++first) {
      const Group group = {.first = first,
                           .size = (rma::size() - first - 1) / part + 1};
      const auto family = rma::allocate<uint64_t>(4);
      uint64_t* const mine = family.local();
      for (int i = 0; i < 4; ++i) mine[i] = ~uint64_t{0};
      if (group.has(rma::rank())) {
        const GroupTree tree(group);
        EXPECT_EQ(tree.root(), first);
        EXPECT_EQ(tree.is_root(), rma::rank() == first);
        for (int i = 0; i < tree.children(); ++i)
          mine[i] = static_cast<uint64_t>(tree.child(i));
        mine[2] = static_cast<uint64_t>(tree.children());
      }
      rma::barrier();
      uint64_t parents = 0;
      for (int member = 0; member < group.size; ++member) {
        const auto theirs = family.at(group.rank(member));
        for (uint64_t i = 0; i < rma::get(theirs + 2); ++i) {
          if (rma::get(theirs + i) != static_cast<uint64_t>(rma::rank()))
            continue;
          ++parents;
          EXPECT_EQ(GroupTree(group).parent(), group.rank(member));
          EXPECT_EQ(GroupTree(group).number(), static_cast<int>(i));
        }
      }
      const bool is_child = group.has(rma::rank()) && rma::rank() != first;
      EXPECT_EQ(parents, is_child ? 1u : 0u);
      rma::barrier();
    }
  }
}

}  // namespace
}  // namespace magpie
