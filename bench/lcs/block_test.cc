#include "bench/lcs/block.h"

#include <gtest/gtest.h>

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

// Borders are those of the sequences up to there: so the last block's corner is
// the answer, for any size of blocks.
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
    }
    EXPECT_EQ(above.back().lower_right(), length(a, b)) << rows;
  }
}

}  // namespace
}  // namespace magpie::bench::lcs
