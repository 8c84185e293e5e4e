// lcs: longest common subsequence of two random sequences, by recursive
// decomposition and futures with three consumers (cluster22 §V-D, Fig. 10 and
// 11). A square waits for the squares above it and left of it, which may be on
// any rank; it is split into four, whose futures it hands to its neighbours
// below and to the right. The work is (n / cutoff)^2 blocks, the longest chain
// 2 n / cutoff - 1.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/lcs/block.h"
#include "bench/program.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// Computing one element of the table.
const rma::Cost kElement("lcs_element");

// The consumers of a square: the one below, that on its right, and the square
// of which it is a quarter.
constexpr uint32_t kBelow = 0, kRight = 1, kParent = 2;

// The result of a block: its border, which is bits.
struct Bits : lcs::Border {
  using Block = Bits;
};
// The same with the size of the paper's, whose elements are numbers of 32 bits.
struct Padded : lcs::Border {
  using Block = Padded;
  std::array<std::byte, 4100 - sizeof(lcs::Border)> unused = {};
};

// The result of other squares: the futures of three quarters. The fourth has
// ended before.
template <typename Part>
struct Quarters {
  SharedFuture<Part, 3> upper_right, lower_left, lower_right;
};
template <typename BlockType>
struct Split {
  using Block = BlockType;

  Split() : squares() {}
  union {
    Quarters<Split> squares;
    Quarters<Block> blocks;
  };
  template <typename Part>
  Quarters<Part>& of() {
    if constexpr (std::is_same_v<Part, Block>)
      return blocks;
    else
      return squares;
  }
};

struct Square {
  uint32_t row, column, rows;

  Square quarter(uint32_t down, uint32_t right) const {
    return {row + down * (rows / 2), column + right * (rows / 2), rows / 2};
  }
};

template <typename Block>
struct Lcs {
  uint32_t n, cutoff;
  // The letters of both sequences; each rank has them.
  rma::RemotePtr<char> letters = {};

  size_t heap_bytes() const {
    return rma::allocated_bytes<char>(2 * size_t{n});
  }
  void prepare() {
    letters = rma::allocate<char>(2 * size_t{n});
    const std::vector<char> all = lcs::letters(n);
    std::copy(all.begin(), all.end(), letters.local());
  }
  std::string_view a() const { return {letters.local(), n}; }
  std::string_view b() const { return {letters.local() + n, n}; }

  uint32_t operator()() const;
};

template <typename Part>
const auto& root_of() {
  return root_task<Lcs<typename Part::Block>>();
}

// The neighbours' results; zeros where there is no neighbour.
template <typename Part>
struct Neighbours {
  SharedFuture<Part, 3> above, left;
};

// Lines 55-58.
template <typename Block>
Block solve(const Square& s, const Neighbours<Block>& near) {
  const Block above = s.row > 0 ? near.above.join(kBelow) : Block();
  const Block left = s.column > 0 ? near.left.join(kRight) : Block();
  rma::charge(kElement, uint64_t{s.rows} * s.rows);
  const auto& root = root_of<Block>();
  return {lcs::compute(root.a().substr(s.row, s.rows),
                       root.b().substr(s.column, s.rows), above, left)};
}
// Line 60, and the rest.
template <typename Block>
Split<Block> solve(const Square& s, const Neighbours<Split<Block>>& near);

// Starts a quarter as a task. Nobody waits for the squares on the lower and the
// right border of the table, except the last one, which has the answer.
template <typename Part>
SharedFuture<Part, 3> start(const Square& s, const Neighbours<Part>& near) {
  const auto future = spawn<3>([=] { return solve(s, near); });
  const uint32_t n = root_of<Part>().n;
  const bool is_lowest = s.row + s.rows == n;
  const bool is_rightmost = s.column + s.rows == n;
  if (is_lowest && !is_rightmost) future.discard(kBelow);
  if (is_rightmost) future.discard(kRight);
  return future;
}

// Lines 61-66.
template <typename Part>
Split<typename Part::Block> split(const Square& s, const Quarters<Part>& above,
                                  const Quarters<Part>& left) {
  const auto upper_left =
      start<Part>(s.quarter(0, 0), {above.lower_left, left.upper_right});
  Split<typename Part::Block> result;
  Quarters<Part>& of = result.template of<Part>();
  of.upper_right =
      start<Part>(s.quarter(0, 1), {above.lower_right, upper_left});
  of.lower_left = start<Part>(s.quarter(1, 0), {upper_left, left.lower_right});
  of.lower_right =
      start<Part>(s.quarter(1, 1), {of.upper_right, of.lower_left});
  upper_left.join(kParent);  // line 65
  of.upper_right.discard(kParent);
  of.lower_left.discard(kParent);
  of.lower_right.discard(kParent);
  return result;
}

template <typename Block>
Split<Block> solve(const Square& s, const Neighbours<Split<Block>>& near) {
  using Result = Split<Block>;
  const Result above = s.row > 0 ? near.above.join(kBelow) : Result();
  const Result left = s.column > 0 ? near.left.join(kRight) : Result();
  if (s.rows / 2 > root_of<Result>().cutoff)
    return split(s, above.squares, left.squares);
  return split(s, above.blocks, left.blocks);
}

// The last element of the table, in the last quarter of each last quarter.
template <typename Block>
uint32_t last_of(const Split<Block>& s, uint32_t rows) {
  if (rows / 2 > root_of<Block>().cutoff)
    return last_of(s.squares.lower_right.join(kBelow), rows / 2);
  return s.blocks.lower_right.join(kBelow).lower_right();
}

template <typename Block>
uint32_t Lcs<Block>::operator()() const {
  const Square all = {0, 0, n};
  if (n <= cutoff) return solve(all, Neighbours<Block>()).lower_right();
  return last_of(solve(all, Neighbours<Split<Block>>()), n);
}

Answer answer_of(uint32_t n, uint32_t length) {
  uint32_t known = lcs::known_length(n);
  if (known == 0) {
    const std::vector<char> all = lcs::letters(n);
    const std::string_view both(all.data(), all.size());
    known = lcs::length(both.substr(0, n), both.substr(n));
  }
  return {.result = {{"length", length}},
          .mismatch = unless(length == known, "the length is ", known)};
}

}  // namespace

int lcs_main(CLI::App& app, int argc, char** argv) {
  uint32_t n = 1 << 14, cutoff = lcs::kMostRows;
  flags::add_integer(app, "--n", n, "letters of a sequence: a power of two", 1,
                     1u << 30);
  flags::add_integer(
      app, "--cutoff", cutoff,
      "largest number of rows and columns of a block, which one task computes",
      1, lcs::kMostRows);
  static constexpr std::array kBorders = {"padded", "bits"};
  bool bits = false;
  flags::add_choice(
      app, "--border", bits,
      "what blocks leave to their neighbours: bits, 132 bytes, or these padded "
      "to the 4,100 bytes that cluster22's numbers take",
      kBorders);
  const Arguments arguments = parse(app, argc, argv);
  if (!std::has_single_bit(n))
    flags::die(absl::StrCat("--n: ", n, "; allowed: powers of two"));
  const Fields params = {
      {"n", n}, {"cutoff", cutoff}, {"border", kBorders[bits ? 1 : 0]}};
  uint32_t length = 0;
  const auto answer = [&] { return answer_of(n, length); };
  return bits ? run(arguments, params, Lcs<Bits>{n, cutoff}, &length, answer)
              : run(arguments, params, Lcs<Padded>{n, cutoff}, &length, answer);
}

const Program kProgram(
    "lcs", "Longest common subsequence, by futures with three consumers",
    lcs_main);

}  // namespace magpie::bench
