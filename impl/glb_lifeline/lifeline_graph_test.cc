#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "impl/glb_lifeline/lifelines.h"
#include "impl/glb_lifeline/options.h"

namespace magpie::glb {
namespace {

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
  EXPECT_EQ(LifelineGraph::radix_for(144, 2), 12);
  EXPECT_EQ(LifelineGraph::radix_for(145, 2), 13);
  EXPECT_EQ(LifelineGraph::dimension_for(2000, 2), 11);
  EXPECT_TRUE(LifelineGraph::reaches(27, 3, 3));
  EXPECT_FALSE(LifelineGraph::reaches(28, 3, 3));
  EXPECT_TRUE(LifelineGraph::reaches(1 << 20, 1 << 30, 30));
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
