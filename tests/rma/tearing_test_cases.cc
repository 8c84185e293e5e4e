// Transfers of whole aligned 8-byte words tear none of them.
//
// All bytes of a word are alike at any time, since all values written are.
// Every rank writes its neighbour's words, and watches its own and its other
// neighbour's while they are written.

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;

std::byte* misaligned(std::vector<uint64_t>* memory, size_t by) {
  return reinterpret_cast<std::byte*>(memory->data()) + by;
}

bool torn(uint64_t word) { return word != (word & 0xFF) * kOnes; }

// Returns how many torn words this rank saw in transfers of `words` whole words
// from and to memory of its own, which begins `misalignment` bytes after an
// aligned address.
uint64_t count_torn(size_t words, size_t misalignment, int rounds) {
  const auto array = rma::allocate<rma::Word>(words);
  const size_t bytes = 8 * words;
  std::vector<uint64_t> sent(words + 1), got(words + 1), seen(words);
  std::byte* const to_send = misaligned(&sent, misalignment);
  std::byte* const to_get = misaligned(&got, misalignment);
  uint64_t count = 0;
  rma::barrier();
  for (int round = 0; round < rounds; ++round) {
    std::memset(to_send, round & 0xFF, bytes);
    rma::put({neighbour(1), array.offset}, to_send, bytes);
    for (size_t i = 0; i < words; ++i) count += torn(array.local()[i].load());
    rma::get(to_get, {neighbour(2), array.offset}, bytes);
    std::memcpy(seen.data(), to_get, bytes);
    for (size_t i = 0; i < words; ++i) count += torn(seen[i]);
    if (round % 64 == 0) rma::idle();
  }
  complete_all();
  return count;
}

SPMD_TEST(RmaTearing, AlignedTransfers) {
  for (size_t words : {1, 2, 3, 4, 7, 31, 128}) {
    EXPECT_EQ(count_torn(words, 0, 1500), 0u) << "in transfers of " << words;
  }
}

// The alignment of the remote words counts, not that of the rank's own bytes.
SPMD_TEST(RmaTearing, FromAndToUnalignedMemory) {
  // A word is rarely seen at the wrong moment; over a network rounds are slow.
  const bool is_fast = std::string_view(rma::kBackend.name) == "shm";
  const int rounds = spmd::simulated() ? 100 : is_fast ? 40'000 : 1000;
  for (size_t words : {1, 3, 31, 128}) {
    for (size_t misalignment : {1, 4}) {
      EXPECT_EQ(count_torn(words, misalignment, rounds), 0u)
          << "in transfers of " << words << ", " << misalignment
          << " bytes after an aligned address";
    }
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
