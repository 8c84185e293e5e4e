// Places on nodes of all shapes, as numbers; those of a job: places_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "impl/glb_lifeline/places.h"

namespace magpie::glb {
namespace {

// Nodes of these sizes, in stretches.
std::vector<Places::Stretch> nodes(const std::vector<int>& sizes) {
  std::vector<Places::Stretch> stretches;
  int first = 0;
  for (const int size : sizes) {
    if (stretches.empty() || stretches.back().ranks_per_node != size)
      stretches.push_back({first, size, 0});
    ++stretches.back().nodes;
    first += size;
  }
  return stretches;
}

// The sizes of the places that a node is made into, as places.h has it.
std::vector<int> expected(int ranks, int workers) {
  if (workers == Places::kAllOfNode) return {ranks};
  std::vector<int> sizes(static_cast<size_t>(ranks / (workers + 1)),
                         workers + 1);
  const int rest = ranks % (workers + 1);
  if (rest > 1 || sizes.empty())
    sizes.push_back(rest);
  else
    sizes.back() += rest;
  return sizes;
}

void expect_places(const std::vector<int>& sizes, int workers) {
  const Places places(nodes(sizes), workers);
  int number = 0, rank = 0;
  for (const int node : sizes) {
    for (const int size : expected(node, workers)) {
      const Place place = places.place(number);
      EXPECT_EQ(place.number, number);
      EXPECT_EQ(place.ranks, (Group{.first = rank, .size = size}));
      EXPECT_EQ(place.is_alone(), size == 1);
      EXPECT_EQ(place.manager(), rank + size - 1);
      EXPECT_EQ(place.workers(), std::max(size - 1, 1));
      for (const int end = rank + size; rank < end; ++rank) {
        EXPECT_EQ(places.of(rank).number, number);
        EXPECT_EQ(places.of(rank).ranks, place.ranks);
      }
      ++number;
    }
  }
  EXPECT_EQ(places.count(), number);
  EXPECT_EQ(rank, std::accumulate(sizes.begin(), sizes.end(), 0));
}

// Nodes of equal sizes, which divide by the place's size or not, with one
// worker to more than there are ranks.
TEST(Places, OfEqualNodes) {
  for (int ranks = 1; ranks <= 14; ++ranks) {
    for (int workers = 0; workers <= 15; ++workers) {
      for (const size_t count : {1, 2, 5})
        expect_places(std::vector<int>(count, ranks), workers);
    }
  }
}

TEST(Places, OfUnequalNodes) {
  for (int workers = 0; workers <= 8; ++workers) {
    expect_places({4, 4, 3}, workers);
    expect_places({1, 5, 5, 1, 1, 6}, workers);
    expect_places({7, 2, 7, 2, 1}, workers);
    expect_places({12, 12, 12, 11}, workers);
  }
}

int in_fours(int rank) { return rank / 4; }
int unequal(int rank) { return rank < 5 ? 9 : rank < 7 ? 3 : 4; }
int in_turn(int rank) { return rank % 2; }
int comes_back(int rank) { return rank < 3 ? 0 : rank < 6 ? 1 : 0; }

TEST(Places, StretchesOfNodes) {
  const auto equal = Places::stretches(10, &in_fours);
  ASSERT_EQ(equal.size(), 2u);
  EXPECT_EQ(equal[0].first_rank, 0);
  EXPECT_EQ(equal[0].ranks_per_node, 4);
  EXPECT_EQ(equal[0].nodes, 2);
  EXPECT_EQ(equal[1].first_rank, 8);
  EXPECT_EQ(equal[1].ranks_per_node, 2);
  EXPECT_EQ(equal[1].nodes, 1);
  const auto three = Places::stretches(9, &unequal);
  ASSERT_EQ(three.size(), 2u);
  EXPECT_EQ(three[0].ranks_per_node, 5);
  EXPECT_EQ(three[1].ranks_per_node, 2);
  EXPECT_EQ(three[1].nodes, 2);
  EXPECT_EQ(Places::stretches(1, &in_turn).size(), 1u);
}

// Launchers that deal ranks out to nodes in turn, or come back to one.
TEST(Places, RefusesScatteredRanks) {
  const testing::ExitedWithCode kRefused(1);
  EXPECT_EXIT(Places::stretches(4, &in_turn), kRefused,
              "rank 2 is on the node of ranks that are not its neighbours: "
              ".*mpirun --map-by slot; MPICH: mpiexec -ppn");
  EXPECT_EXIT(Places::stretches(8, &comes_back), kRefused, "rank 6 is on");
}

}  // namespace
}  // namespace magpie::glb
