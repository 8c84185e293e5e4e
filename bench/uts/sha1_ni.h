// The SHA-1 block function on the x86 SHA extensions, written once as a
// template over the four instructions, so that its logic is tested on every
// machine: HardwareSha1 (below, x86-64 only) issues the instructions, and the
// test brings a model of them in plain C++.
//
// The instructions compute four rounds at a time on vectors of four words in
// which the first word, a or w(4g), sits in the most significant lane
// (Intel SDM, volume 2B, SHA1RNDS4, SHA1NEXTE, SHA1MSG1, SHA1MSG2).
//
// Internal to //bench/uts.

#ifndef MAGPIE_BENCH_UTS_SHA1_NI_H_
#define MAGPIE_BENCH_UTS_SHA1_NI_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <utility>

#include "bench/uts/sha1_block.h"

// The target attribute lets one function use instructions that the rest of the
// program must not. Everything between the entry point and the intrinsics needs
// it, or they could not be inlined; elsewhere it is empty.
#if defined(__x86_64__)
#include <immintrin.h>
#define MAGPIE_UTS_SHA_NI [[gnu::target("sha,sse4.1"), gnu::always_inline]]
#else
#define MAGPIE_UTS_SHA_NI [[gnu::always_inline]]
#endif

namespace magpie::uts::internal {

// What the kernel requires of an instruction set. `Vec` holds four words.
template <class I>
concept Sha1Isa = requires(typename I::Vec v, uint32_t w) {
  // {w0, w1, w2, w3} with w0 in the most significant lane, and back: the first
  // word, or all four to memory at once, since a copy that follows soon would
  // wait for words that were stored one by one.
  { I::pack(w, w, w, w) } -> std::same_as<typename I::Vec>;
  { I::first(v) } -> std::same_as<uint32_t>;
  { I::store(v, &w) } -> std::same_as<void>;
  { I::add(v, v) } -> std::same_as<typename I::Vec>;
  { I::exclusive_or(v, v) } -> std::same_as<typename I::Vec>;
  // Four rounds of quarter 0..3 on {a, b, c, d}. The addend is
  // {w0 + e, w1, w2, w3}; the constant K is part of the instruction.
  { I::template rounds4<0>(v, v) } -> std::same_as<typename I::Vec>;
  // The addend's first word gains rotl(a of four rounds ago, 30), which is e.
  { I::next_e(v, v) } -> std::same_as<typename I::Vec>;
  // The schedule: w(t) for four t from the sixteen words before.
  { I::msg1(v, v) } -> std::same_as<typename I::Vec>;
  { I::msg2(v, v) } -> std::same_as<typename I::Vec>;
};

// Rounds 4g to 4g + 3. `past` is {a, b, c, d} as it was before the last group
// (for group 0: the vector {e, 0, 0, 0} itself); `w` holds the last sixteen
// words of the schedule, four to a vector.
template <Sha1Isa I, int g, class Vec = typename I::Vec>
MAGPIE_UTS_SHA_NI inline void ni_group(Vec& abcd, Vec& past, Vec (&w)[4]) {
  if constexpr (g >= 4) {
    w[g % 4] = I::msg2(
        I::exclusive_or(I::msg1(w[g % 4], w[(g + 1) % 4]), w[(g + 2) % 4]),
        w[(g + 3) % 4]);
  }
  Vec addend = g == 0 ? I::add(past, w[0]) : I::next_e(past, w[g % 4]);
  past = abcd;
  abcd = I::template rounds4<g / 5>(abcd, addend);
}

template <Sha1Isa I, int... g, class Vec = typename I::Vec>
MAGPIE_UTS_SHA_NI inline void ni_groups(Vec& abcd, Vec& past, Vec (&w)[4],
                                        std::integer_sequence<int, g...>) {
  (ni_group<I, g>(abcd, past, w), ...);
}

// The chaining value after one more block.
template <Sha1Isa I>
MAGPIE_UTS_SHA_NI inline Sha1State sha1_compress_ni(const Sha1State& in,
                                                    const Sha1Block& b) {
  using Vec = typename I::Vec;
  Vec w[4] = {I::pack(b[0], b[1], b[2], b[3]), I::pack(b[4], b[5], b[6], b[7]),
              I::pack(b[8], b[9], b[10], b[11]),
              I::pack(b[12], b[13], b[14], b[15])};
  const Vec in_abcd = I::pack(in[0], in[1], in[2], in[3]);
  const Vec in_e = I::pack(in[4], 0, 0, 0);
  Vec abcd = in_abcd, past = in_e;
  ni_groups<I>(abcd, past, w, std::make_integer_sequence<int, 20>());
  Sha1State state;
  I::store(I::add(abcd, in_abcd), state.data());
  state[4] = I::first(I::next_e(past, in_e));
  return state;
}

#if defined(__x86_64__)
struct HardwareSha1 {
  using Vec = __m128i;
  MAGPIE_UTS_SHA_NI static inline Vec pack(uint32_t w0, uint32_t w1,
                                           uint32_t w2, uint32_t w3) {
    return _mm_set_epi32(static_cast<int>(w0), static_cast<int>(w1),
                         static_cast<int>(w2), static_cast<int>(w3));
  }
  MAGPIE_UTS_SHA_NI static inline uint32_t first(Vec v) {
    return static_cast<uint32_t>(_mm_extract_epi32(v, 3));
  }
  MAGPIE_UTS_SHA_NI static inline void store(Vec v, uint32_t* words) {
    _mm_storeu_si128(reinterpret_cast<Vec*>(words),
                     _mm_shuffle_epi32(v, _MM_SHUFFLE(0, 1, 2, 3)));
  }
  MAGPIE_UTS_SHA_NI static inline Vec add(Vec x, Vec y) {
    return _mm_add_epi32(x, y);
  }
  MAGPIE_UTS_SHA_NI static inline Vec exclusive_or(Vec x, Vec y) {
    return _mm_xor_si128(x, y);
  }
  template <int kQuarter>
  MAGPIE_UTS_SHA_NI static inline Vec rounds4(Vec abcd, Vec addend) {
    return _mm_sha1rnds4_epu32(abcd, addend, kQuarter);
  }
  MAGPIE_UTS_SHA_NI static inline Vec next_e(Vec past, Vec w) {
    return _mm_sha1nexte_epu32(past, w);
  }
  MAGPIE_UTS_SHA_NI static inline Vec msg1(Vec x, Vec y) {
    return _mm_sha1msg1_epu32(x, y);
  }
  MAGPIE_UTS_SHA_NI static inline Vec msg2(Vec x, Vec y) {
    return _mm_sha1msg2_epu32(x, y);
  }
};
static_assert(Sha1Isa<HardwareSha1>);
#endif

}  // namespace magpie::uts::internal

#endif  // MAGPIE_BENCH_UTS_SHA1_NI_H_
