#include "bench/lcs/block.h"

#include <algorithm>
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

// A row's steps: the elements that are 1 more than their left neighbours.
Row steps_of(uint32_t corner, std::span<const uint32_t> values) {
  Row row = {};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != (i == 0 ? corner : values[i - 1])) set_bit(&row, i);
  }
  return row;
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

Border compute(std::string_view a, std::string_view b, const Border& above,
               const Border& left) {
  const size_t n = a.size();
  std::array<Row, 32> matches = {};  // of each letter, and of the first ones
  for (size_t j = 0; j < n; ++j) set_bit(&matches[b[j] % 32], j);
  const uint32_t corner = above.lower_left;
  Row steps = steps_of(corner, std::span(above.below).first(n));
  Border border;
  uint32_t before = corner, right = above.below[n - 1];
  for (size_t i = 0; i < n; ++i) {
    const bool down = left.right[i] != std::exchange(before, left.right[i]);
    right += next_row(matches[a[i] % 32], n, down, &steps);
    border.right[i] = right;
  }
  border.lower_left = before;
  for (size_t j = 0; j < n; ++j)
    border.below[j] = before += bit(steps, j) ? 1 : 0;
  return border;
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
  switch (n) {
    case 1 << 16:
      return 21'370;
    case 1 << 18:
      return 85'387;
    case 1 << 20:
      return 341'658;
    case 1 << 22:
      return 1'366'368;
  }
  return 0;
}

}  // namespace magpie::bench::lcs
