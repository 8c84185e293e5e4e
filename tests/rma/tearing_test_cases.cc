// Transfers of whole aligned 8-byte words tear none of them.
//
// All bytes of a word are alike at any time, since all values written are.
// Every rank writes its neighbour's words, and watches its own and its other
// neighbour's while they are written.

#include <cstring>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;

bool torn(uint64_t word) { return word != (word & 0xFF) * kOnes; }

// The torn words that this rank saw in transfers of `words` whole words.
uint64_t count_torn(size_t words) {
  constexpr int kRounds = 1500;
  const auto array = rma::allocate<rma::Word>(words);
  const size_t bytes = 8 * words;
  std::vector<uint64_t> sent(words), got(words);
  uint64_t count = 0;
  rma::barrier();
  for (int round = 0; round < kRounds; ++round) {
    std::memset(sent.data(), round & 0xFF, bytes);
    rma::put({neighbour(1), array.offset}, sent.data(), bytes);
    for (size_t i = 0; i < words; ++i) count += torn(array.local()[i].load());
    rma::get(got.data(), {neighbour(2), array.offset}, bytes);
    for (size_t i = 0; i < words; ++i) count += torn(got[i]);
    if (round % 64 == 0) rma::idle();
  }
  complete_all();
  return count;
}

SPMD_TEST(RmaTearing, AlignedTransfers) {
  for (size_t words : {1, 2, 3, 4, 7, 31, 128}) {
    EXPECT_EQ(count_torn(words), 0u) << "in transfers of " << words;
  }
}

// The owner stores a word while others get it, and while a put writes the words
// beside it.
SPMD_TEST(RmaTearing, OwnersStores) {
  const auto words = rma::allocate<rma::Word>(3);
  rma::barrier();
  for (uint64_t round = 0; round < 20'000; ++round) {
    words.local()[1].store((round & 0xFF) * kOnes);
    rma::put_word(words.at(neighbour(1)) + 2 * (round & 1), round);
    const uint64_t seen = rma::get_word(words.at(neighbour(1)) + 1);
    ASSERT_FALSE(torn(seen)) << seen;
    ASSERT_EQ(words.local()[1].load(), (round & 0xFF) * kOnes)
        << "a neighbour's put changed this word";
    if (round % 64 == 0) rma::idle();
  }
  complete_all();
}

}  // namespace
}  // namespace magpie
