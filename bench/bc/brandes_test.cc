#include "bench/bc/brandes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/bc/rmat.h"
#include "gtest/gtest.h"

namespace magpie::bc {
namespace {

struct Rows {
  std::vector<uint32_t> rows, targets;
  Graph graph() const { return {rows, targets}; }
};

Rows rows_of(const std::vector<std::vector<uint32_t>>& lists) {
  Rows result = {{0}, {}};
  for (const auto& list : lists) {
    result.targets.insert(result.targets.end(), list.begin(), list.end());
    result.rows.push_back(static_cast<uint32_t>(result.targets.size()));
  }
  return result;
}

Rows rows_of(const Rmat& rmat) {
  Rows result = {std::vector<uint32_t>(rmat.vertices() + 1),
                 std::vector<uint32_t>(rmat.edges())};
  rmat.fill(result.rows, result.targets);
  return result;
}

std::vector<double> betweenness(const std::vector<std::vector<uint32_t>>& g) {
  return bc::betweenness(rows_of(g).graph());
}

// Betweenness by its definition: distances and numbers of paths between all
// pairs, by matrices.
std::vector<double> by_definition(const Graph& graph) {
  const size_t n = graph.vertices();
  const double far = 1e9;
  std::vector<std::vector<double>> d(n, std::vector<double>(n, far)),
      paths(n, std::vector<double>(n));
  for (size_t s = 0; s < n; ++s) d[s][s] = 0;
  for (uint32_t v = 0; v < n; ++v)
    for (const uint32_t w : graph.targets_of(v))
      d[v][w] = std::min(d[v][w], 1.0);
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
  for (size_t s = 0; s < n; ++s) {
    paths[s][s] = 1;
    for (double far_away = 1; far_away < static_cast<double>(n); ++far_away)
      for (uint32_t v = 0; v < n; ++v)
        if (d[s][v] == far_away - 1)
          for (const uint32_t w : graph.targets_of(v))
            if (d[s][w] == far_away) paths[s][w] += paths[s][v];
  }
  std::vector<double> sums(n);
  for (size_t s = 0; s < n; ++s)
    for (size_t t = 0; t < n; ++t)
      for (size_t v = 0; v < n; ++v)
        if (s != t && v != s && v != t && d[s][t] < far &&
            d[s][v] + d[v][t] == d[s][t])
          sums[v] += paths[s][v] * paths[v][t] / paths[s][t];
  return sums;
}

// Two edges are two paths; a loop is in none.
TEST(BrandesTest, ParallelEdgesAndLoops) {
  EXPECT_EQ(betweenness({{1, 1, 1, 2}, {3, 1}, {3}, {}}),
            (std::vector<double>{0, 0.75, 0.25, 0}));
}

TEST(BrandesTest, AsDefined) {
  for (const uint64_t seed : {1, 2, 3}) {
    for (const int edges : {1, 2, 8}) {
      const Rows rows = rows_of(Rmat{6, edges, seed});
      const std::vector<double> sums = bc::betweenness(rows.graph());
      const std::vector<double> known = by_definition(rows.graph());
      EXPECT_EQ(first_difference(sums, known), sums.size());
    }
  }
}

TEST(BrandesTest, CountsEdges) {
  const Rows rows = rows_of({{1, 2}, {3}, {3}, {}, {0, 1, 2, 3}});
  Brandes brandes(rows.graph());
  EXPECT_EQ(brandes.add_source(0), 8u);
  EXPECT_EQ(brandes.add_source(3), 0u);
}

TEST(BrandesTest, FirstDifference) {
  const std::vector<double> a = {0, 1e6, 2}, b = {0, 1e6 + 1e-5, 2},
                            c = {0, 1e6, 2.001};
  EXPECT_EQ(first_difference(a, b), 3u);
  EXPECT_EQ(first_difference(a, c), 2u);
}

}  // namespace
}  // namespace magpie::bc
