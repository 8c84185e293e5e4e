// Hops, compared with what a search through the links and switches finds.

#include "common/rma/sim/machine/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace magpie::rma::sim {
namespace {

Topology topology(const std::string& text) {
  Topology topology;
  EXPECT_TRUE(parse_topology(text, &topology)) << text;
  return topology;
}

int product(const std::vector<int>& sides) {
  return std::accumulate(sides.begin(), sides.end(), 1, std::multiplies<>());
}

// A graph of nodes and switches with links between them, numbered from 0.
class Graph {
 public:
  explicit Graph(int size) : links_(static_cast<size_t>(size)) {}

  void link(int a, int b) {
    links_[a].push_back(b);
    links_[b].push_back(a);
  }
  // Numbers of links on the shortest way to each.
  std::vector<int> distances_from(int start) const {
    std::vector<int> distance(links_.size(), -1);
    distance[start] = 0;
    for (std::deque<int> next = {start}; !next.empty(); next.pop_front()) {
      for (int b : links_[next.front()]) {
        if (distance[b] >= 0) continue;
        distance[b] = distance[next.front()] + 1;
        next.push_back(b);
      }
    }
    return distance;
  }

 private:
  std::vector<std::vector<int>> links_;
};

// Places in a box, the last side running fastest: links along each side, and
// where `ring` says so from its end to its begin.
Graph box(const std::vector<int>& sides, const std::vector<bool>& ring) {
  const int size = product(sides);
  Graph graph(size);
  int step = size;
  for (size_t i = 0; i < sides.size(); ++i) {
    step /= sides[i];
    for (int place = 0; place < size; ++place) {
      const int at = place / step % sides[i];
      if (at + 1 < sides[i]) graph.link(place, place + step);
      if (ring[i] && at == 0 && sides[i] > 1)
        graph.link(place, place + (sides[i] - 1) * step);
    }
  }
  return graph;
}

// Checks the hops between nodes, each at its place in the graph, where a way
// to another node has `more` links than hops.
void expect_hops(const std::string& text, const std::vector<int>& places,
                 const Graph& graph, int more = 0) {
  SCOPED_TRACE(text);
  const int nodes = static_cast<int>(places.size());
  const Hops hops(topology(text), nodes);
  int64_t sum = 0;
  for (int a = 0; a < nodes; ++a) {
    const std::vector<int> distances = graph.distances_from(places[a]);
    for (int b = 0; b < nodes; ++b) {
      const int links = distances[places[b]];
      EXPECT_EQ(hops.between(a, b), std::max(links - more, 0))
          << a << " and " << b;
      EXPECT_EQ(hops.between(a, b), hops.between(b, a));
      sum += hops.between(a, b);
    }
  }
  EXPECT_NEAR(hops.mean() * nodes * std::max(nodes - 1, 1),
              static_cast<double>(sum), 1e-6);
}

std::vector<int> first(int nodes) {
  std::vector<int> places(static_cast<size_t>(nodes));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

TEST(Hops, OfATorusAreThoseOfASearch) {
  for (const auto& [text, sides] :
       std::vector<std::pair<std::string, std::vector<int>>>{
           {"torus:1", {1}},
           {"torus:2", {2}},
           {"torus:9", {9}},
           {"torus:4x5", {4, 5}},
           {"torus:2x1x7x3", {2, 1, 7, 3}},
           {"torus:2x2x3x2x2x3", {2, 2, 3, 2, 2, 3}}}) {
    const Graph graph = box(sides, std::vector<bool>(sides.size(), true));
    expect_hops(text, first(product(sides)), graph);
    expect_hops(text, first((product(sides) + 1) / 2), graph);
  }
  // The topology chooses 3x4x3 itself.
  expect_hops("torus", first(36), box({3, 4, 3}, {true, true, true}));
}

// Checks six dimensions, as the maker draws them: X and a unit's two along the
// first side, Y and a ring of three along the second, Z and two along the
// third.
void expect_tofu(const std::string& text, const std::vector<int>& sides,
                 int nodes) {
  const int x = (sides[0] + 1) / 2, y = (sides[1] + 2) / 3,
            z = (sides[2] + 1) / 2;
  const Graph graph =
      box({x, 2, y, 3, z, 2}, {false, false, false, true, false, false});
  std::vector<int> places;
  // A side runs there in one unit, back in the next.
  const auto along = [](int at, int unit) {
    const int in_it = at % unit;
    return at / unit % 2 == 0 ? at : at - in_it + unit - 1 - in_it;
  };
  for (int i = 0; i < sides[0]; ++i)
    for (int j = 0; j < sides[1]; ++j)
      for (int k = 0; k < sides[2]; ++k)
        places.push_back((along(i, 2) * 3 * y + along(j, 3)) * 2 * z +
                         along(k, 2));
  places.resize(static_cast<size_t>(nodes));
  expect_hops(text, places, graph);
}

TEST(Hops, OfTofuAreThoseOfASearch) {
  expect_tofu("tofu:2x3x2", {2, 3, 2}, 12);
  expect_tofu("tofu:1x1x1", {1, 1, 1}, 1);
  expect_tofu("tofu:4x9x2", {4, 9, 2}, 72);
  expect_tofu("tofu:5x7x3", {5, 7, 3}, 100);
  expect_tofu("tofu", {3, 4, 3}, 36);
  expect_tofu("tofu", {6, 6, 4}, 144);
  // 6 + 6 + 4 is no more than 5 + 5 + 6, and 4 x 6 x 6 less than 5 x 5 x 6.
  expect_tofu("tofu", {6, 6, 4}, 143);
}

TEST(Hops, OfATreeAreThoseOfASearch) {
  for (int arity : {2, 3, 18}) {
    for (int nodes : {1, 2, 7, 18, 19, 40, 350}) {
      // Nodes, then switches, level by level; from a node up and down to
      // another there is one link more than switches.
      std::vector<std::pair<int, int>> links;
      int begin = 0, end = nodes, size = nodes;
      while (end - begin > 1) {
        for (int i = begin; i < end; ++i)
          links.push_back({i, end + (i - begin) / arity});
        size = end + (end - begin + arity - 1) / arity;
        begin = end;
        end = size;
      }
      Graph graph(size);
      for (const auto& [a, b] : links) graph.link(a, b);
      expect_hops("tree:" + std::to_string(arity), first(nodes), graph, 1);
    }
  }
}

TEST(Hops, OfNothing) {
  const Hops hops(topology("none"), 5);
  EXPECT_EQ(hops.between(0, 4), 0);
  EXPECT_EQ(hops.mean(), 0);
}

// Compared with a search through all boxes.
TEST(NearCube, HasTheSmallestSumAndThenTheLeastRoom) {
  for (int nodes = 1; nodes <= 70; ++nodes) {
    std::vector<int> best = {nodes + 2, nodes};  // the sum, the room
    for (int a = 1; a <= nodes; ++a)
      for (int b = 1; b <= nodes; ++b)
        for (int c = 1; c <= nodes; ++c)
          if (a * b * c >= nodes) best = std::min(best, {a + b + c, a * b * c});
    const std::vector<int> sides = near_cube(nodes);
    EXPECT_EQ(std::accumulate(sides.begin(), sides.end(), 0), best[0]);
    EXPECT_EQ(product(sides), best[1]) << nodes;
    EXPECT_EQ(*std::max_element(sides.begin(), sides.end()), sides[1]);
  }
  for (int nodes : {1000, 110'592, 1 << 20})
    EXPECT_GE(product(near_cube(nodes)), nodes);
}

TEST(Topology, Room) {
  EXPECT_EQ(topology("torus:3x5").room(), 15);
  EXPECT_EQ(topology("torus:1024x1024x1024x1024x1024x1024").room(),
            (int64_t{1} << 31) - 1);
  for (const char* text : {"none", "torus", "tofu", "tree:2"})
    EXPECT_GE(topology(text).room(), 1 << 20);
}

TEST(Topology, WhatIsNone) {
  const std::vector<std::string> texts = absl::StrSplit(
      " ring none: none:3 torus: torus:0 torus:4x0 torus:4x torus:x4 "
      "torus:4x1025 "
      "torus:-4 torus:1x1x1x1x1x1x1 tofu: tofu:4x4 tofu:4x4x4x4 tree tree: "
      "tree:1 tree:1025 tree:2x2 tree:2:2",
      ' ');
  for (const std::string& text : texts) {
    Topology unchanged = topology("tree:7");
    EXPECT_FALSE(parse_topology(text, &unchanged)) << text;
    EXPECT_EQ(unchanged.arity, 7);
  }
}

}  // namespace
}  // namespace magpie::rma::sim
