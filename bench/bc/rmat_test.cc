#include "bench/bc/rmat.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace magpie::bc {
namespace {

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
