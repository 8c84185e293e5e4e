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

// Two edges are two paths; a loop is in none.
TEST(BrandesTest, ParallelEdgesAndLoops) {
  EXPECT_EQ(betweenness({{1, 1, 1, 2}, {3, 1}, {3}, {}}),
            (std::vector<double>{0, 0.75, 0.25, 0}));
}

// Known are sums that follow from the definition, by the distances and numbers
// of paths between all pairs of vertices.
TEST(BrandesTest, AsDefined) {
  const struct {
    int edges;
    uint64_t seed;
    double sum;
  } kKnown[] = {{1, 1, 1330.3333333333335}, {2, 1, 46595.923809523803},
                {8, 1, 144709.42209321362}, {1, 2, 4346},
                {2, 2, 60212.443406593411}, {8, 3, 157170.31412293139}};
  for (const auto& known : kKnown) {
    const Rows rows = rows_of(Rmat{6, known.edges, known.seed});
    double sum = 0, number = 0;
    for (const double each : bc::betweenness(rows.graph()))
      sum += each * ++number;
    EXPECT_NEAR(sum, known.sum, 1e-9 * known.sum);
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

// The shares of each quarter of the matrix, and of those of its last division.
TEST(RmatTest, QuartersHaveTheirShares) {
  const Rmat rmat = {15, 8, 2};
  const double known[2][2] = {{0.55, 0.1}, {0.1, 0.25}};
  for (const uint32_t bit :
       {uint32_t{1} << 14, uint32_t{1} << 7, uint32_t{1}}) {
    double count[2][2] = {};
    for (uint64_t i = 0; i < rmat.edges(); ++i) {
      const Edge edge = rmat.edge(i);
      ++count[(edge.from & bit) != 0][(edge.to & bit) != 0];
    }
    for (const int row : {0, 1})
      for (const int column : {0, 1})
        EXPECT_NEAR(count[row][column] / static_cast<double>(rmat.edges()),
                    known[row][column], 0.005);
  }
}

TEST(RmatTest, FillsRows) {
  const Rmat rmat = {6, 5, 9};
  std::vector<uint32_t> rows(rmat.vertices() + 1, 77),
      targets(rmat.edges(), 77);
  rmat.fill(rows, targets);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), rmat.edges());
  std::vector<std::vector<uint32_t>> expected(rmat.vertices());
  for (uint64_t i = 0; i < rmat.edges(); ++i)
    expected[rmat.edge(i).from].push_back(rmat.edge(i).to);
  for (uint32_t v = 0; v < rmat.vertices(); ++v) {
    std::vector<uint32_t> row(targets.begin() + rows[v],
                              targets.begin() + rows[v + 1]);
    std::sort(row.begin(), row.end());
    std::sort(expected[v].begin(), expected[v].end());
    EXPECT_EQ(row, expected[v]) << v;
  }
}

}  // namespace
}  // namespace magpie::bc
