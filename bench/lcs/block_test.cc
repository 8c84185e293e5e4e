#include "bench/lcs/block.h"

#include <gtest/gtest.h>

#include <bit>

namespace magpie::bench::lcs {
namespace {

TEST(Length, OfExamples) {
  EXPECT_EQ(length("x", "x"), 1u);
  EXPECT_EQ(length("x", "y"), 0u);
  EXPECT_EQ(length("ABCBDAB", "BDCABA"), 4u);
  EXPECT_EQ(length("AAAA", "AA"), 2u);
}

TEST(Letters, FirstOnesMatchNothing) {
  const std::vector<char> all = letters(64);
  ASSERT_EQ(all.size(), 128u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i] == all[0], i == 0) << i;
    EXPECT_EQ(all[i] == all[64], i == 64) << i;
  }
}

// The number of steps among the first n + 1.
uint32_t up_to(size_t n, const Steps& steps) {
  const auto row = std::bit_cast<std::array<uint64_t, kMostRows / 64>>(steps);
  uint32_t count = 0;
  for (size_t i = 0; i <= n; ++i) count += row[i / 64] >> i % 64 & 1;
  return count;
}

// Borders are those of the sequences up to there, for any size of blocks.
TEST(Compute, BlocksFitTogether) {
  constexpr size_t kLetters = 512;
  const std::vector<char> all = letters(kLetters);
  const std::string_view a(all.data(), kLetters);
  const std::string_view b(all.data() + kLetters, kLetters);
  for (const size_t rows : {1, 2, 32, 64, 128, 512}) {
    std::vector<Border> above(kLetters / rows);
    for (size_t i = 0; i < kLetters; i += rows) {
      Border left;
      for (size_t j = 0; j < kLetters; j += rows) {
        Border& block = above[j / rows];
        block = compute(a.substr(i, rows), b.substr(j, rows), block, left);
        left = block;
      }
      if (i > 0 && (rows < 32 || i % 128 != 0)) continue;
      for (size_t j = 0; j < kLetters; j += rows) {
        const Border& block = above[j / rows];
        const std::string_view rows_above = a.substr(0, i + rows);
        EXPECT_EQ(block.lower_left + up_to(0, block.below),
                  length(rows_above, b.substr(0, j + 1)));
        EXPECT_EQ(block.lower_right(),
                  length(rows_above, b.substr(0, j + rows)));
        const uint32_t above_right =
            i == 0 ? 0 : length(a.substr(0, i), b.substr(0, j + rows));
        EXPECT_EQ(above_right + up_to(0, block.right),
                  length(a.substr(0, i + 1), b.substr(0, j + rows)));
        EXPECT_EQ(above_right + up_to(rows - 1, block.right),
                  block.lower_right());
        EXPECT_EQ(block.lower_left,
                  j == 0 ? 0 : length(rows_above, b.substr(0, j)));
      }
    }
    EXPECT_EQ(above.back().lower_right(), length(a, b)) << rows;
  }
}

}  // namespace
}  // namespace magpie::bench::lcs
