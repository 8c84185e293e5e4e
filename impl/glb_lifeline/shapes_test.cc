// Places on nodes of all shapes, and lifelines between any number of places, as
// numbers; those of a job: places_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "impl/glb_lifeline/lifelines.h"
#include "impl/glb_lifeline/options.h"
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

using Next = int (LifelineGraph::*)(int place, int edge) const;

// Number of places that are reached from place 0, itself included.
int reached(const LifelineGraph& graph, int places, Next next) {
  std::vector<bool> seen(static_cast<size_t>(places));
  seen[0] = true;
  std::vector<int> found = {0};
  for (size_t i = 0; i < found.size(); ++i) {
    for (int edge = 0; edge < graph.edges(); ++edge) {
      const int to = (graph.*next)(found[i], edge);
      if (seen[to]) continue;
      seen[to] = true;
      found.push_back(to);
    }
  }
  return static_cast<int>(found.size());
}

// Expects that buddy and thief are inverse: a place that asks another on an
// edge is its thief there, and one that asks nobody there is asked by nobody.
void expect_inverse(const LifelineGraph& graph, int places) {
  for (int place = 0; place < places; ++place) {
    for (int edge = 0; edge < graph.edges(); ++edge) {
      const int buddy = graph.buddy(place, edge);
      ASSERT_TRUE(0 <= buddy && buddy < places);
      ASSERT_EQ(graph.thief(buddy, edge), place);
      ASSERT_EQ(graph.buddy(graph.thief(place, edge), edge), place);
    }
  }
}

// Expects graphs that are strongly connected: place 0 reaches all places and is
// reached by all.
void expect_well(const Options& options) {
  // All sizes up to 100; beyond, steps of a percent.
  for (int places = 1; places <= 1000; places += 1 + places / 100) {
    const LifelineGraph graph = options.graph(places);
    ASSERT_LE(static_cast<size_t>(graph.edges()), options.most_edges());
    ASSERT_EQ(reached(graph, places, &LifelineGraph::buddy), places);
    ASSERT_EQ(reached(graph, places, &LifelineGraph::thief), places);
    ASSERT_NO_FATAL_FAILURE(expect_inverse(graph, places)) << places;
    if (options.lifeline_dimension > 0) {
      ASSERT_EQ(graph.edges(), options.lifeline_dimension);
    }
  }
}

TEST(LifelineGraph, Connects) {
  expect_well({});
  for (const int radix : {2, 3, 7, 1 << 30})
    expect_well({.lifeline_radix = radix});
  for (const int dimension : {1, 2, 3, 5})
    expect_well({.lifeline_dimension = dimension});
}

// 8 places in a cube, each with a neighbour on each edge; and 6 in a ring.
TEST(LifelineGraph, IsACyclicHypercube) {
  const LifelineGraph cube(8, 2, 3);
  for (int place = 0; place < 8; ++place) {
    for (int edge = 0; edge < 3; ++edge)
      EXPECT_EQ(cube.buddy(place, edge), place ^ (1 << edge));
  }
  const LifelineGraph ring(6, 6, 1);
  for (int place = 0; place < 6; ++place)
    EXPECT_EQ(ring.buddy(place, 0), (place + 5) % 6);
}

// The digits that are asked for, or the fewest.
TEST(LifelineGraph, HasAsManyEdgesAsNeeded) {
  EXPECT_EQ(Options().graph(1).edges(), 1);
  EXPECT_EQ(Options().graph(4).edges(), 1);
  EXPECT_EQ(Options().graph(12).edges(), 2);
  EXPECT_EQ(Options().graph(17).edges(), 3);
  EXPECT_EQ(Options{.lifeline_radix = 2}.graph(2000).edges(), 11);
  // In base 12, and in base 13, in which the first digit goes to 11.
  EXPECT_EQ(Options{.lifeline_dimension = 2}.graph(144).buddy(0, 1), 11 * 12);
  EXPECT_EQ(Options{.lifeline_dimension = 2}.graph(145).buddy(0, 1), 11 * 13);
  const Options most = {.lifeline_radix = 1 << 30, .lifeline_dimension = 30};
  EXPECT_EQ(most.graph(1 << 20).edges(), 30);
}

TEST(LifelineGraph, RefusesTooFewNumbers) {
  const auto refused = [](int radix, int dimension, int places) {
    Options{.lifeline_radix = radix, .lifeline_dimension = dimension}.graph(
        places);
    std::exit(0);
  };
  const testing::ExitedWithCode kRefused(1), kTaken(0);
  EXPECT_EXIT(refused(3, 2, 10), kRefused,
              "--lifeline_radix=3 and --lifeline_dimension=2 tell fewer than "
              "10 places apart; with that dimension the radix is at least 4\n");
  EXPECT_EXIT(refused(3, 2, 9), kTaken, "^$");
  EXPECT_EXIT(refused(3, 0, 1000), kTaken, "^$");
  EXPECT_EXIT(refused(0, 2, 1000), kTaken, "^$");
}

}  // namespace
}  // namespace magpie::glb
