// Aligned 8-byte words in a transfer are not torn, wherever the transfer begins
// and ends.
//
// All bytes of a word are alike at any time, since all values written are.
// Every rank writes its neighbour's words, and watches its own and its other
// neighbour's while they are written.

#include <cstring>

#include "tests/rma/helpers.h"
#include "tests/spmd/spmd.h"

namespace magpie {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;

bool torn(uint64_t word) { return word != (word & 0xFF) * kOnes; }

// The torn words that this rank saw in transfers of `words` whole words, with
// `before` and `after` more bytes at the ends.
uint64_t count_torn(size_t words, size_t before, size_t after) {
  constexpr int kRounds = 1500;
  const auto array = rma::allocate<rma::Word>(words + 2);
  const size_t first = 8 - before, bytes = before + 8 * words + after;
  std::vector<uint64_t> sent(words + 2), got(words + 2);
  uint64_t count = 0;
  rma::barrier();
  for (int round = 0; round < kRounds; ++round) {
    std::memset(sent.data(), round & 0xFF, 8 * sent.size());
    rma::put({neighbour(1), array.offset + first},
             reinterpret_cast<std::byte*>(sent.data()) + first, bytes);
    for (size_t i = 1; i <= words; ++i) count += torn(array.local()[i].load());
    rma::get(reinterpret_cast<std::byte*>(got.data()) + first,
             {neighbour(2), array.offset + first}, bytes);
    for (size_t i = 1; i <= words; ++i) count += torn(got[i]);
    if (round % 64 == 0) rma::idle();
  }
  rma::barrier();
  return count;
}

SPMD_TEST(RmaTearing, AlignedTransfers) {
  for (size_t words : {1, 2, 3, 4, 7, 31, 128}) {
    EXPECT_EQ(count_torn(words, 0, 0), 0u) << "in transfers of " << words;
  }
}

SPMD_TEST(RmaTearing, RaggedTransfers) {
  uint64_t count = 0;
  for (size_t words : {1, 2, 3, 15}) {
    for (size_t before : {0, 1, 5}) {
      for (size_t after : {0, 3, 7}) count += count_torn(words, before, after);
    }
  }
  EXPECT_EQ(count, 0u);
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
  rma::barrier();
}

}  // namespace
}  // namespace magpie
