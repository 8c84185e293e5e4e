// Both kernels compared with SHA-1 as RFC 3174 words it.

#include "bench/uts/sha1.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace magpie::uts {
namespace {

// The chaining value after one more block: section 6.1, method 1.
void compress(const std::array<uint32_t, 16>& block, Sha1State* state) {
  std::array<uint32_t, 80> w;
  auto [a, b, c, d, e] = *state;
  for (size_t t = 0; t < 80; ++t) {
    w[t] = t < 16 ? block[t]
                  : std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    const uint32_t f = t < 20   ? (b & c) | (~b & d)
                       : t < 40 ? b ^ c ^ d
                       : t < 60 ? (b & c) | (b & d) | (c & d)
                                : b ^ c ^ d;
    const uint32_t k[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    const uint32_t next = std::rotl(a, 5) + f + e + w[t] + k[t / 20];
    e = std::exchange(d, std::exchange(c, std::rotl(b, 30)));
    b = std::exchange(a, next);
  }
  *state = {(*state)[0] + a, (*state)[1] + b, (*state)[2] + c, (*state)[3] + d,
            (*state)[4] + e};
}

// SHA-1 of a message of any length.
Sha1State sha1(const std::string& message) {
  std::string padded = message + '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>((uint64_t{message.size()} * 8) >> shift);
  Sha1State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                     0xC3D2E1F0};
  for (size_t at = 0; at < padded.size(); at += 64) {
    std::array<uint32_t, 16> block = {};
    for (size_t i = 0; i < 64; ++i)
      block[i / 4] =
          block[i / 4] << 8 | static_cast<unsigned char>(padded[at + i]);
    compress(block, &state);
  }
  return state;
}

std::string hex(const Sha1State& state) {
  std::string hex;
  for (const uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    hex += digits;
  }
  return hex;
}

struct Input {
  Sha1State state;
  uint32_t index;

  std::string message() const {
    std::string bytes;
    for (const uint32_t word :
         {state[0], state[1], state[2], state[3], state[4], index})
      for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(word >> shift);
    return bytes;
  }
};

// Edge words in every position, then random ones.
std::vector<Input> inputs() {
  std::vector<Input> inputs;
  for (uint32_t word :
       {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80000001u}) {
    inputs.push_back({{word, word, word, word, word}, word});
    for (size_t i = 0; i < 5; ++i) {
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

// What the kernels are compared with, by the vectors of section 7.3.
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
  for (const auto& [message, hash] : vectors)
    EXPECT_EQ(hex(sha1(message)), hash);
}

TEST(Sha1, RootIsTheHashOfSixteenZeroBytesAndTheSeed) {
  for (int32_t seed : {0, 1, 19, 559, -1, INT32_MIN, INT32_MAX}) {
    const Input last = {{}, static_cast<uint32_t>(seed)};
    EXPECT_EQ(sha1_root(seed), sha1(last.message().substr(4))) << seed;
  }
}

TEST(Sha1, ChildIsTheHashOfStateAndIndex) {
  for (const Input& in : inputs()) {
    const Sha1State known = sha1(in.message());
    ASSERT_EQ(sha1_child_portable(in.state, in.index), known);
    if (has_sha1_ni()) {
      ASSERT_EQ(sha1_child_ni(in.state, in.index), known);
    }
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
