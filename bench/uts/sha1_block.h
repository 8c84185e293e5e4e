// The SHA-1 block function (RFC 3174, section 6.1, method 2 with its circular
// schedule of 16 words) in plain C++, unrolled at compile time.
//
// Unrolling by templates rather than by a loop turns every index into a
// constant. The schedule then lives in registers, and where the caller's block
// has constant words, as UTS blocks have in ten places of sixteen, the compiler
// folds them into the first rounds.
//
// Internal to //bench/uts.

#ifndef MAGPIE_BENCH_UTS_SHA1_BLOCK_H_
#define MAGPIE_BENCH_UTS_SHA1_BLOCK_H_

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "bench/uts/sha1.h"

namespace magpie::uts::internal {

// Words in host byte order.
using Sha1Block = std::array<uint32_t, 16>;

// The initial chaining value (RFC 3174, section 6.1).
inline constexpr Sha1State kSha1Init = {0x67452301, 0xEFCDAB89, 0x98BADCFE,
                                        0x10325476, 0xC3D2E1F0};

// K(t) of RFC 3174, section 5, by quarter: t / 20.
inline constexpr std::array<uint32_t, 4> kSha1K = {0x5A827999, 0x6ED9EBA1,
                                                   0x8F1BBCDC, 0xCA62C1D6};

// f(t; b, c, d) of RFC 3174, section 5, in the forms with the fewest
// operations: "b chooses c or d", parity, majority.
template <int kQuarter>
[[gnu::always_inline]] constexpr uint32_t sha1_f(uint32_t b, uint32_t c,
                                                 uint32_t d) {
  if constexpr (kQuarter == 0) return d ^ (b & (c ^ d));
  if constexpr (kQuarter == 2) return b ^ ((b ^ c) & (b ^ d));
  return b ^ c ^ d;
}

// Round t. Instead of moving a..e along after each round, the roles rotate
// over the five elements of `v`: a of round t is v[-t mod 5].
template <int t>
[[gnu::always_inline]] inline void sha1_round(Sha1State& v, Sha1Block& w) {
  if constexpr (t >= 16) {
    w[t % 16] = std::rotl(
        w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16], 1);
  }
  constexpr int a = (80 - t) % 5, b = (81 - t) % 5, c = (82 - t) % 5,
                d = (83 - t) % 5, e = (84 - t) % 5;
  v[e] += std::rotl(v[a], 5) + sha1_f<t / 20>(v[b], v[c], v[d]) +
          kSha1K[t / 20] + w[t % 16];
  v[b] = std::rotl(v[b], 30);
}

template <int... t>
[[gnu::always_inline]] inline void sha1_rounds(
    Sha1State& v, Sha1Block& w, std::integer_sequence<int, t...>) {
  (sha1_round<t>(v, w), ...);
}

// The chaining value after one more block.
[[gnu::always_inline]] inline Sha1State sha1_compress(const Sha1State& in,
                                                      Sha1Block block) {
  Sha1State v = in;
  sha1_rounds(v, block, std::make_integer_sequence<int, 80>());
  for (int i = 0; i < 5; ++i) v[i] += in[i];
  return v;
}

// The padded block of the 24-byte message {parent, index}: a one bit after the
// message, and its length in bits in the last two words.
[[gnu::always_inline]] inline Sha1Block child_block(const Sha1State& parent,
                                                    uint32_t index) {
  return {parent[0],  parent[1], parent[2], parent[3], parent[4], index,
          0x80000000, 0,         0,         0,         0,         0,
          0,          0,         0,         24 * 8};
}

}  // namespace magpie::uts::internal

#endif  // MAGPIE_BENCH_UTS_SHA1_BLOCK_H_
