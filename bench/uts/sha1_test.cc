// SHA-1 compared with RFC 3174, and every kernel with every other.

#include "bench/uts/sha1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/uts/sha1_block.h"
#include "bench/uts/sha1_ni.h"
#include "gtest/gtest.h"

namespace magpie::uts {
namespace {

using internal::Sha1Block;

// The four SHA instructions from the operation sections of the Intel SDM
// (volume 2B), in plain C++. v[0] is the most significant lane.
struct ModelledSha1 {
  using Vec = std::array<uint32_t, 4>;

  static Vec pack(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
    return {w0, w1, w2, w3};
  }
  static uint32_t first(Vec v) { return v[0]; }
  static void store(Vec v, uint32_t* words) { std::ranges::copy(v, words); }
  static Vec add(Vec x, Vec y) {
    return {x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]};
  }
  static Vec exclusive_or(Vec x, Vec y) {
    return {x[0] ^ y[0], x[1] ^ y[1], x[2] ^ y[2], x[3] ^ y[3]};
  }
  template <int kQuarter>
  static Vec rounds4(Vec abcd, Vec addend) {
    constexpr uint32_t kK[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    auto [a, b, c, d] = abcd;
    // Round 0 finds e already in the addend.
    uint32_t e = 0;
    for (uint32_t w : addend) {
      const uint32_t f = kQuarter == 0   ? (b & c) ^ (~b & d)
                         : kQuarter == 2 ? (b & c) ^ (b & d) ^ (c & d)
                                         : b ^ c ^ d;
      const uint32_t next = f + std::rotl(a, 5) + w + e + kK[kQuarter];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    return {a, b, c, d};
  }
  static Vec next_e(Vec past, Vec w) {
    w[0] += std::rotl(past[0], 30);
    return w;
  }
  static Vec msg1(Vec x, Vec y) {
    return {x[2] ^ x[0], x[3] ^ x[1], y[0] ^ x[2], y[1] ^ x[3]};
  }
  static Vec msg2(Vec x, Vec y) {
    const uint32_t w16 = std::rotl(x[0] ^ y[1], 1);
    return {w16, std::rotl(x[1] ^ y[2], 1), std::rotl(x[2] ^ y[3], 1),
            std::rotl(x[3] ^ w16, 1)};
  }
};
static_assert(internal::Sha1Isa<ModelledSha1>);

using BlockFunction = Sha1State (*)(const Sha1State&, const Sha1Block&);

Sha1State portable_block(const Sha1State& in, const Sha1Block& block) {
  return internal::sha1_compress(in, block);
}

#if defined(__x86_64__)
[[gnu::target("sha,sse4.1")]]
#endif
Sha1State
modelled_block(const Sha1State& in, const Sha1Block& block) {
  return internal::sha1_compress_ni<ModelledSha1>(in, block);
}

std::string hex(const Sha1State& state) {
  std::string hex;
  for (uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    hex += digits;
  }
  return hex;
}

// SHA-1 of a message of any length, as 40 hexadecimal digits.
std::string sha1_hex(BlockFunction compress, const std::string& message) {
  std::string padded = message + '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded += static_cast<char>((uint64_t{message.size()} * 8) >> shift);
  }
  Sha1State state = internal::kSha1Init;
  for (size_t at = 0; at < padded.size(); at += 64) {
    Sha1Block block = {};
    for (size_t i = 0; i < 64; ++i) {
      block[i / 4] =
          block[i / 4] << 8 | static_cast<unsigned char>(padded[at + i]);
    }
    state = compress(state, block);
  }
  return hex(state);
}

// The message {state, index} as bytes, for the general hash.
std::string child_message(const Sha1State& state, uint32_t index) {
  std::string bytes;
  for (uint32_t word :
       {state[0], state[1], state[2], state[3], state[4], index})
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(word >> shift);
  return bytes;
}

struct Input {
  Sha1State state;
  uint32_t index;
};

// Edge words in every position, then random ones.
std::vector<Input> inputs() {
  std::vector<Input> inputs;
  for (uint32_t word :
       {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80000001u}) {
    inputs.push_back({{word, word, word, word, word}, word});
    for (int i = 0; i < 5; ++i) {
      Input one = {};
      one.state[i] = word;
      inputs.push_back(one);
    }
    inputs.push_back({{}, word});
  }
  std::mt19937 random(20);
  while (inputs.size() < 20000) {
    Input one;
    for (uint32_t& word : one.state) word = random();
    one.index = random();
    inputs.push_back(one);
  }
  return inputs;
}

// The vectors of section 7.3.
TEST(Sha1, TestVectorsOfRfc3174) {
  std::string digits;
  for (int i = 0; i < 80; ++i) digits += "01234567";
  const std::pair<std::string, const char*> vectors[] = {
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
      {std::string(1000000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
      {digits, "dea356a2cddd90c7a7ecedc5ebb563934f460452"},
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"}};
  for (const auto& [message, hash] : vectors) {
    EXPECT_EQ(sha1_hex(&portable_block, message), hash);
    EXPECT_EQ(sha1_hex(&modelled_block, message), hash);
  }
}

TEST(Sha1, RootIsTheHashOfSixteenZeroBytesAndTheSeed) {
  for (int32_t seed : {0, 1, 19, 559, -1, INT32_MIN, INT32_MAX}) {
    const std::string message =
        std::string(16, '\0') +
        child_message({}, static_cast<uint32_t>(seed)).substr(20);
    EXPECT_EQ(hex(sha1_root(seed)), sha1_hex(&portable_block, message)) << seed;
  }
}

TEST(Sha1, ChildIsTheHashOfStateAndIndex) {
  for (const Input& in : inputs()) {
    const Sha1State child = sha1_child_portable(in.state, in.index);
    ASSERT_EQ(hex(child),
              sha1_hex(&portable_block, child_message(in.state, in.index)));
    ASSERT_EQ(modelled_block(internal::kSha1Init,
                             internal::child_block(in.state, in.index)),
              child);
  }
}

TEST(Sha1, HardwareNiKernelEqualsPortable) {
  if (!has_sha1_ni()) GTEST_SKIP() << "this processor has no SHA extensions";
  for (const Input& in : inputs()) {
    ASSERT_EQ(sha1_child_ni(in.state, in.index),
              sha1_child_portable(in.state, in.index));
  }
}

TEST(Sha1, AutoTakesNiWhereThereIsOne) {
  EXPECT_EQ(resolve_sha1(Sha1Kernel::kAuto),
            has_sha1_ni() ? Sha1Kernel::kNi : Sha1Kernel::kPortable);
  EXPECT_EQ(resolve_sha1(Sha1Kernel::kPortable), Sha1Kernel::kPortable);
  EXPECT_EQ(resolve_sha1(Sha1Kernel::kNi), Sha1Kernel::kNi);
}

}  // namespace
}  // namespace magpie::uts
