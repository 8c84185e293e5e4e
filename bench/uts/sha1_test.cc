// Both kernels compared with what Python's hashlib.sha1 gives for the same
// inputs. Known are sums over all digests, word by word, which any wrong bit
// changes.

#include "bench/uts/sha1.h"

#include <array>
#include <cstdint>

#include "gtest/gtest.h"

namespace magpie::uts {
namespace {

void add_to(Sha1State* sums, const Sha1State& digest) {
  for (size_t i = 0; i < sums->size(); ++i)
    (*sums)[i] = (*sums)[i] * 31 + digest[i];
}

// Edge words in every position of an input, and in all at once; then 20,000
// digests, each of the one before.
template <typename Child>
Sha1State sums_over_children(Child child) {
  Sha1State sums = {}, last;
  for (const uint32_t word :
       {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80000001u}) {
    for (size_t place = 0; place <= 6; ++place) {
      Sha1State state = {};
      for (size_t i = 0; i < state.size(); ++i)
        state[i] = place == i || place == 6 ? word : 0;
      last = child(state, place >= 5 ? word : 0);
      add_to(&sums, last);
    }
  }
  for (uint32_t i = 0; i < 20000; ++i) {
    last = child(last, last[0] ^ i);
    add_to(&sums, last);
  }
  return sums;
}

TEST(Sha1, RootIsTheHashOfSixteenZeroBytesAndTheSeed) {
  Sha1State sums = {};
  for (const int32_t seed : {0, 1, 19, 559, -1, INT32_MIN, INT32_MAX})
    add_to(&sums, sha1_root(seed));
  EXPECT_EQ(sums, (Sha1State{0x2a217f93, 0x60cb8ed4, 0x2474383a, 0x208903d4,
                             0x2e47e9b5}));
}

TEST(Sha1, ChildIsTheHashOfStateAndIndex) {
  constexpr Sha1State kKnown = {0x3534a38d, 0x01c022ee, 0x7c927b7d, 0x2e653dae,
                                0x8c6f0fbc};
  EXPECT_EQ(sums_over_children(sha1_child_portable), kKnown);
  if (has_sha1_ni()) {
    EXPECT_EQ(sums_over_children(sha1_child_ni), kKnown);
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
