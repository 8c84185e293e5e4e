#include "bench/lcs/block.h"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

namespace magpie::bench::lcs {
namespace {

constexpr size_t kWordBits = 64;
using Row = std::array<uint64_t, kMostRows / kWordBits>;

bool bit(const Row& row, size_t i) {
  return (row[i / kWordBits] >> i % kWordBits & 1) != 0;
}
void set_bit(Row* row, size_t i) {
  (*row)[i / kWordBits] |= uint64_t{1} << i % kWordBits;
}

uint32_t count(const Steps& steps) {
  int count = 0;
  for (const uint32_t word : steps) count += std::popcount(word);
  return static_cast<uint32_t>(count);
}

// Computes a row's steps from the row's above. `matches` are the columns with
// the row's letter; `down` is the step from the element left of the row above
// to that left of this row. Returns the same step on the right of `columns`.
//
// For an element let h be the step from left to right above it, v the step down
// on its left, m whether it matches. Then below it the step is !v & (m | h),
// and on its right !h & (m | v): a carry, which h stops and m makes.
bool next_row(const Row& matches, size_t columns, bool down, Row* steps) {
  uint64_t carry = down;
  for (size_t i = 0; i * kWordBits < columns; ++i) {
    const uint64_t h = (*steps)[i], m = matches[i];
    const unsigned __int128 sum =
        static_cast<unsigned __int128>(~h) + (~h & m) + carry;
    const uint64_t v = static_cast<uint64_t>(sum) ^ ~h ^ (~h & m);
    (*steps)[i] = ~v & (m | h);
    const size_t last = columns - i * kWordBits;
    carry = last < kWordBits ? v >> last & 1
                             : static_cast<uint64_t>(sum >> kWordBits);
  }
  return carry != 0;
}

}  // namespace

uint32_t Border::lower_right() const { return lower_left + count(below); }

Border compute(std::string_view a, std::string_view b, const Border& above,
               const Border& left) {
  const size_t n = a.size();
  std::array<Row, 32> matches = {};  // of each letter, and of the first ones
  for (size_t j = 0; j < n; ++j) set_bit(&matches[b[j] % 32], j);
  Row steps = std::bit_cast<Row>(above.below), right = {};
  const Row down = std::bit_cast<Row>(left.right);
  for (size_t i = 0; i < n; ++i)
    if (next_row(matches[a[i] % 32], n, bit(down, i), &steps))
      set_bit(&right, i);
  return {above.lower_left + count(left.right), std::bit_cast<Steps>(right),
          std::bit_cast<Steps>(steps)};
}

uint32_t length(std::string_view a, std::string_view b) {
  std::vector<uint32_t> row(b.size(), 0);
  for (const char letter : a) {
    uint32_t diagonal = 0, left = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const uint32_t above = row[j];
      row[j] = left = letter == b[j] ? diagonal + 1 : std::max(above, left);
      diagonal = above;
    }
  }
  return row.back();
}

std::vector<char> letters(size_t n) {
  // The standard library's generator, whichever that is: the known answers are
  // GCC's.
  std::default_random_engine engine(0);
  std::uniform_int_distribution<> letter('a', 'z');
  std::vector<char> letters(2 * n);
  for (char& c : letters) c = static_cast<char>(letter(engine));
  letters[0] = '`';
  letters[n] = '{';
  return letters;
}

uint32_t known_length(size_t n) {
  constexpr std::array<std::pair<size_t, uint32_t>, 5> kKnown = {
      {{1 << 15, 10'655},
       {1 << 16, 21'370},
       {1 << 18, 85'387},
       {1 << 20, 341'658},
       {1 << 22, 1'366'368}}};
  for (const auto& [letters, length] : kKnown)
    if (letters == n) return length;
  return 0;
}

}  // namespace magpie::bench::lcs
