// Longest common subsequences, block by block (cluster22 §V-D). X(i, j) is the
// length of the one of a's first i letters and b's first j. A block of such
// elements is computed from what lies above it and left of it:
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
#include <string_view>
#include <vector>

namespace magpie::bench::lcs {

// Greatest number of rows and columns of a block: the cutoff of cluster22 §V-D.
inline constexpr size_t kMostRows = 512;

// Whether X grows, by 1, from each of a block's elements to the next, as bits.
using Steps = std::array<uint32_t, kMostRows / 32>;

// Values that a block leaves to its neighbours: 132 bytes.
struct Border {
  // X at its lower left, which is the corner of the block below and to the
  // right of that.
  uint32_t lower_left = 0;
  // From the row above the block down its last column.
  Steps right = {};
  // From the column left of the block along its last row.
  Steps below = {};

  // X at its lower right.
  uint32_t lower_right() const;
};

// The block of the rows that belong to the letters `a`, and the columns that
// belong to `b`. `above` and `left` are the neighbours' borders, of blocks of
// the same size. REQUIRES: a.size() == b.size(), which is at most kMostRows.
//
// Takes some 10 operations for 64 elements: a row is a string of bits, and an
// addition computes the next row (Crochemore, Iliopoulos, Pinzon, Reid: A fast
// and practical bit-vector algorithm for the longest common subsequence
// problem, 2001).
Border compute(std::string_view a, std::string_view b, const Border& above,
               const Border& left);

// Computes the answer row by row. Cost: proportional to |a| |b|.
uint32_t length(std::string_view a, std::string_view b);

// cluster22's sequences: n random letters for a and then n for b, from one
// generator. Their first letters match nothing: its row 0 and column 0 are
// zeros.
std::vector<char> letters(size_t n);

// Known length for the two sequences of n letters; 0 where it is not known.
// Source: the artifact of cluster22; of 2^15 letters, length().
uint32_t known_length(size_t n);

}  // namespace magpie::bench::lcs

#endif  // MAGPIE_BENCH_LCS_BLOCK_H_
