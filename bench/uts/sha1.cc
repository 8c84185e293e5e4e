#include "bench/uts/sha1.h"

#include <bit>
#include <cstdlib>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace magpie::uts {
namespace {

// Words in host byte order.
using Block = std::array<uint32_t, 16>;

// The initial chaining value (RFC 3174, section 6.1).
constexpr Sha1State kInit = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                             0xC3D2E1F0};

// K(t) of RFC 3174, section 5, by quarter: t / 20.
constexpr std::array<uint32_t, 4> kK = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC,
                                        0xCA62C1D6};

// The padded block of the 24-byte message {parent, index}: a one bit after the
// message, and its length in bits in the last two words.
[[gnu::always_inline]] inline Block child_block(const Sha1State& parent,
                                                uint32_t index) {
  return {parent[0],  parent[1], parent[2], parent[3], parent[4], index,
          0x80000000, 0,         0,         0,         0,         0,
          0,          0,         0,         24 * 8};
}

// -------------------------------------------------------- the portable kernel
//
// RFC 3174, section 6.1, method 2 with its circular schedule of 16 words,
// unrolled at compile time. Unrolling by templates rather than by a loop turns
// every index into a constant. The schedule then lives in registers, and where
// the caller's block has constant words, as UTS blocks have in ten places of
// sixteen, the compiler folds them into the first rounds.

// f(t; b, c, d) of RFC 3174, section 5, in the forms with the fewest
// operations: "b chooses c or d", parity, majority.
template <int kQuarter>
[[gnu::always_inline]] constexpr uint32_t f(uint32_t b, uint32_t c,
                                            uint32_t d) {
  if constexpr (kQuarter == 0) return d ^ (b & (c ^ d));
  if constexpr (kQuarter == 2) return b ^ ((b ^ c) & (b ^ d));
  return b ^ c ^ d;
}

// Round t. Instead of moving a..e along after each round, the roles rotate
// over the five elements of `v`: a of round t is v[-t mod 5].
template <int t>
[[gnu::always_inline]] inline void round(Sha1State& v, Block& w) {
  if constexpr (t >= 16) {
    w[t % 16] = std::rotl(
        w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16], 1);
  }
  constexpr int a = (80 - t) % 5, b = (81 - t) % 5, c = (82 - t) % 5,
                d = (83 - t) % 5, e = (84 - t) % 5;
  v[e] +=
      std::rotl(v[a], 5) + f<t / 20>(v[b], v[c], v[d]) + kK[t / 20] + w[t % 16];
  v[b] = std::rotl(v[b], 30);
}

template <int... t>
[[gnu::always_inline]] inline void rounds(Sha1State& v, Block& w,
                                          std::integer_sequence<int, t...>) {
  (round<t>(v, w), ...);
}

// The hash of a message of one block.
[[gnu::always_inline]] inline Sha1State hash(Block block) {
  Sha1State v = kInit;
  rounds(v, block, std::make_integer_sequence<int, 80>());
  for (size_t i = 0; i < 5; ++i) v[i] += kInit[i];
  return v;
}

}  // namespace

Sha1State sha1_root(int32_t seed) {
  return hash({0, 0, 0, 0, static_cast<uint32_t>(seed), 0x80000000, 0, 0, 0, 0,
               0, 0, 0, 0, 0, 20 * 8});
}

Sha1State sha1_child_portable(const Sha1State& parent, uint32_t index) {
  return hash(child_block(parent, index));
}

Sha1Kernel resolve_sha1(Sha1Kernel wanted) {
  if (wanted != Sha1Kernel::kAuto) return wanted;
  return has_sha1_ni() ? Sha1Kernel::kNi : Sha1Kernel::kPortable;
}

#if defined(__x86_64__)

// --------------------------------------------- the kernel on SHA instructions
//
// The instructions compute four rounds at a time on vectors of four words in
// which the first word, a or w(4g), sits in the most significant lane (Intel
// SDM, volume 2B, SHA1RNDS4, SHA1NEXTE, SHA1MSG1, SHA1MSG2).

// Lets one function use instructions that the rest of the program must not.
// Everything between the entry point and the intrinsics needs it, or they could
// not be inlined.
#define MAGPIE_UTS_SHA_NI [[gnu::target("sha,sse4.1")]]

namespace {

// {w0, w1, w2, w3} with w0 in the most significant lane.
MAGPIE_UTS_SHA_NI [[gnu::always_inline]] inline __m128i pack(uint32_t w0,
                                                             uint32_t w1,
                                                             uint32_t w2,
                                                             uint32_t w3) {
  return _mm_set_epi32(static_cast<int>(w0), static_cast<int>(w1),
                       static_cast<int>(w2), static_cast<int>(w3));
}

// Rounds 4g to 4g + 3. `past` is {a, b, c, d} as it was before the last group
// (for group 0: the vector {e, 0, 0, 0} itself); `w` holds the last sixteen
// words of the schedule, four to a vector.
template <int g>
MAGPIE_UTS_SHA_NI [[gnu::always_inline]] inline void group(__m128i& abcd,
                                                           __m128i& past,
                                                           __m128i (&w)[4]) {
  if constexpr (g >= 4) {
    w[g % 4] = _mm_sha1msg2_epu32(
        _mm_xor_si128(_mm_sha1msg1_epu32(w[g % 4], w[(g + 1) % 4]),
                      w[(g + 2) % 4]),
        w[(g + 3) % 4]);
  }
  // The addend's first word gains rotl(a of four rounds ago, 30), which is e.
  const __m128i addend =
      g == 0 ? _mm_add_epi32(past, w[0]) : _mm_sha1nexte_epu32(past, w[g % 4]);
  past = abcd;
  abcd = _mm_sha1rnds4_epu32(abcd, addend, g / 5);
}

template <int... g>
MAGPIE_UTS_SHA_NI [[gnu::always_inline]] inline void groups(
    __m128i& abcd, __m128i& past, __m128i (&w)[4],
    std::integer_sequence<int, g...>) {
  (group<g>(abcd, past, w), ...);
}

}  // namespace

bool has_sha1_ni() {
  // CPUID leaf 7: EBX bit 29 is SHA. Leaf 1: ECX bit 19 is SSE4.1.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
  if ((ecx & (1u << 19)) == 0) return false;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  return (ebx & (1u << 29)) != 0;
}

MAGPIE_UTS_SHA_NI Sha1State sha1_child_ni(const Sha1State& parent,
                                          uint32_t index) {
  const Block b = child_block(parent, index);
  __m128i w[4] = {pack(b[0], b[1], b[2], b[3]), pack(b[4], b[5], b[6], b[7]),
                  pack(b[8], b[9], b[10], b[11]),
                  pack(b[12], b[13], b[14], b[15])};
  const __m128i init = pack(kInit[0], kInit[1], kInit[2], kInit[3]);
  const __m128i init_e = pack(kInit[4], 0, 0, 0);
  __m128i abcd = init, past = init_e;
  groups(abcd, past, w, std::make_integer_sequence<int, 20>());
  Sha1State state;
  // All four words at once: a copy that follows soon would wait for words that
  // were stored one by one.
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(state.data()),
      _mm_shuffle_epi32(_mm_add_epi32(abcd, init), _MM_SHUFFLE(0, 1, 2, 3)));
  state[4] = static_cast<uint32_t>(
      _mm_extract_epi32(_mm_sha1nexte_epu32(past, init_e), 3));
  return state;
}

#else

bool has_sha1_ni() { return false; }

// REQUIRES: has_sha1_ni().
Sha1State sha1_child_ni(const Sha1State&, uint32_t) { std::abort(); }

#endif

}  // namespace magpie::uts
