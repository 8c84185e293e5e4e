// lcs: longest common subsequence of two random sequences, by recursive
// decomposition and futures with three consumers (cluster22 §V-D, Fig. 10 and
// 11). A square waits for the squares above it and left of it, which may be on
// any rank; it is split into four, whose futures it hands to its neighbours
// below and to the right. The work is (n / cutoff)^2 blocks, the longest chain
// 2 n / cutoff - 1.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/lcs/block.h"
#include "bench/program.h"
#include "bench/programs/programs.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

using lcs::Border;

// Computing one element of the table.
const rma::Cost kElement("lcs_element");

// The consumers of a square: the one below, that on its right, and the square
// of which it is a quarter.
constexpr uint32_t kBelow = 0, kRight = 1, kParent = 2;

// The result of a square: a block's is its border; other squares' are the
// futures of three quarters. The fourth has ended before.
template <typename Part>
struct Quarters {
  SharedFuture<Part, 3> upper_right, lower_left, lower_right;
};
struct Split {
  Split() : squares() {}
  union {
    Quarters<Split> squares;
    Quarters<Border> blocks;
  };
  template <typename Part>
  Quarters<Part>& of();
};
template <>
Quarters<Split>& Split::of() {
  return squares;
}
template <>
Quarters<Border>& Split::of() {
  return blocks;
}

struct Square {
  uint32_t row, column, rows;

  Square quarter(uint32_t down, uint32_t right) const {
    return {row + down * (rows / 2), column + right * (rows / 2), rows / 2};
  }
};

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

// The neighbours' results; zeros where there is no neighbour.
template <typename Part>
struct Neighbours {
  SharedFuture<Part, 3> above, left;
};

// Lines 55-58.
Border solve(const Square& s, const Neighbours<Border>& near) {
  const Border above = s.row > 0 ? near.above.join(kBelow) : Border();
  const Border left = s.column > 0 ? near.left.join(kRight) : Border();
  rma::charge(kElement, uint64_t{s.rows} * s.rows);
  const auto& root = root_task<Lcs>();
  return lcs::compute(root.a().substr(s.row, s.rows),
                      root.b().substr(s.column, s.rows), above, left);
}

// Starts a quarter as a task. Nobody waits for the squares on the lower and the
// right border of the table, except the last one, which has the answer.
template <typename Part>
SharedFuture<Part, 3> start(const Square& s, const Neighbours<Part>& near) {
  const auto future = spawn<3>([=] { return solve(s, near); });
  const uint32_t n = root_task<Lcs>().n;
  const bool is_lowest = s.row + s.rows == n;
  const bool is_rightmost = s.column + s.rows == n;
  if (is_lowest && !is_rightmost) future.discard(kBelow);
  if (is_rightmost) future.discard(kRight);
  return future;
}

// Lines 61-66.
template <typename Part>
Split split(const Square& s, const Quarters<Part>& above,
            const Quarters<Part>& left) {
  const auto upper_left =
      start<Part>(s.quarter(0, 0), {above.lower_left, left.upper_right});
  Split result;
  Quarters<Part>& of = result.of<Part>();
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

// Line 60, and the rest.
Split solve(const Square& s, const Neighbours<Split>& near) {
  const Split above = s.row > 0 ? near.above.join(kBelow) : Split();
  const Split left = s.column > 0 ? near.left.join(kRight) : Split();
  if (s.rows / 2 > root_task<Lcs>().cutoff)
    return split(s, above.squares, left.squares);
  return split(s, above.blocks, left.blocks);
}

// The last element of the table, in the last quarter of each last quarter.
uint32_t last_of(const Split& s, uint32_t rows) {
  if (rows / 2 > root_task<Lcs>().cutoff)
    return last_of(s.squares.lower_right.join(kBelow), rows / 2);
  return s.blocks.lower_right.join(kBelow).right[rows / 2 - 1];
}

uint32_t Lcs::operator()() const {
  const Square all = {0, 0, n};
  if (n <= cutoff) return solve(all, Neighbours<Border>()).right[n - 1];
  return last_of(solve(all, Neighbours<Split>()), n);
}

}  // namespace

int lcs_main(int argc, char** argv) {
  flags::App app(
      "Longest common subsequence of random letters, by futures with 3 "
      "consumers.",
      "lcs");
  Lcs root = {.n = 1 << 14, .cutoff = lcs::kMostRows};
  flags::add_integer<uint32_t>(
      app, "--n", root.n, "letters of a sequence: a power of two", 1, 1u << 30);
  flags::add_integer<uint32_t>(
      app, "--cutoff", root.cutoff,
      "largest number of rows and columns of a block, which one task computes",
      1, lcs::kMostRows);
  const Arguments arguments = parse(app, argc, argv);
  if (!std::has_single_bit(root.n))
    flags::die(absl::StrCat("--n: ", root.n, "; allowed: powers of two"));
  uint32_t length = 0;
  return run(
      arguments, {{"n", root.n}, {"cutoff", root.cutoff}}, root, &length, [&] {
        uint32_t known = lcs::known_length(root.n);
        if (known == 0) {
          const std::vector<char> all = lcs::letters(root.n);
          const std::string_view both(all.data(), all.size());
          known = lcs::length(both.substr(0, root.n), both.substr(root.n));
        }
        return Answer{
            .result = {{"length", length}},
            .mismatch = unless(length == known, "the length is ", known)};
      });
}

}  // namespace magpie::bench
