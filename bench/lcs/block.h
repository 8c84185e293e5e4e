// Longest common subsequences, block by block (cluster22 §V-D). X(i, j) is the
// length of that of a's first i letters and b's first j. A block of them is
// computed from what lies above it and left of it:
//
//     corner | above ->
//     -------+------------+
//     left   |            | right
//      |     |   block    |  |
//      v     |            |  v
//            +------------+
//             below ->

#ifndef MAGPIE_BENCH_LCS_BLOCK_H_
#define MAGPIE_BENCH_LCS_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace magpie::bench::lcs {

// Rows and columns of a block, at most: the cutoff of cluster22 §V-D.
inline constexpr size_t kMostRows = 512;

// What a block leaves to its neighbours: 4,100 bytes.
struct Border {
  // X at its lower left, which is the corner of the block below and to the
  // right of that.
  uint32_t lower_left = 0;
  std::array<uint32_t, kMostRows> right = {};
  std::array<uint32_t, kMostRows> below = {};
};

// The block of the rows that belong to the letters `a`, and the columns that
// belong to `b`. `above` and `left` are the neighbours' borders, of blocks of
// the same size. REQUIRES: a.size() == b.size(), which is at most kMostRows.
//
// Takes some 10 operations for 64 elements: neighbours differ by 0 or 1, so a
// row is a number of so many bits, and what it becomes is an addition
// (Crochemore, Iliopoulos, Pinzon, Reid: A fast and practical bit-vector
// algorithm for the longest common subsequence problem, 2001).
Border compute(std::string_view a, std::string_view b, const Border& above,
               const Border& left);

// The answer, row by row. Takes time in |a| |b|.
uint32_t length(std::string_view a, std::string_view b);

// cluster22's sequences: so many random letters for a and then for b, of one
// generator. Their first ones match nothing: its row 0 and column 0 are zeros.
std::vector<char> letters(size_t n);

// What that of two sequences of n letters is known to be; 0 where it is not.
// Source: the artifact of cluster22.
uint32_t known_length(size_t n);

}  // namespace magpie::bench::lcs

#endif  // MAGPIE_BENCH_LCS_BLOCK_H_
