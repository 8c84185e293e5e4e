// Dekker's core, which THE rests on: each of two ranks writes its own word,
// fences, and reads the other's. They never both read the old value.
//
// For the owner of a word the steps are Word::store, Word::fence, Word::load;
// for everybody else put, flush, get. Without a fence on either side the
// failing outcome is rare, so that each round runs through many pairs of words,
// where two ranks overtake each other many times.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

constexpr size_t kWords = 64;
constexpr uint64_t kRounds = 600;

using Words = rma::RemotePtr<Line>;

// Two ranks that meet round after round.
class Pair {
 public:
  // Ranks 2k and 2k + 1 are a pair. Collective.
  Pair() : meetings_(rma::allocate<Line>()) { rma::barrier(); }

  // False on the last of an odd number of ranks.
  bool exists() const { return peer() < rma::size(); }
  bool first() const { return rma::rank() % 2 == 0; }
  int peer() const { return rma::rank() ^ 1; }

  // Returns when the peer has arrived too. What either did before is complete.
  void meet() {
    rma::flush_all();
    rma::put_word(word_of(meetings_.at(peer())), ++arrived_);
    wait_until([this] { return meetings_.local()->word.load() >= arrived_; });
  }

 private:
  rma::RemotePtr<Line> meetings_;
  uint64_t arrived_ = 0;
};

// Runs `step(i, round)`, which returns whether the peer's write was seen, on
// both ranks of a pair; expects that one of the two saw the other's, for each
// word and round.
template <typename Step>
void expect_one_sees(Pair* pair, Step step) {
  const auto results = rma::allocate<uint8_t>(kRounds * kWords);
  rma::barrier();
  if (pair->exists()) {
    std::vector<uint8_t> saw(kRounds * kWords);
    for (uint64_t round = 1; round <= kRounds; ++round) {
      pair->meet();
      uint8_t* const row = &saw[(round - 1) * kWords];
      for (size_t i = 0; i < kWords; ++i) row[i] = step(i, round);
    }
    rma::put({pair->peer(), results.offset}, saw.data(), saw.size());
    pair->meet();
    size_t neither = 0;
    for (size_t i = 0; i < saw.size(); ++i)
      neither += !saw[i] && !results.local()[i];
    EXPECT_EQ(neither, 0u) << "times of " << saw.size()
                           << " neither rank saw the other's write";
  }
  complete_all();
}

bool put_flush_get(Words mine, Words other, uint64_t round) {
  rma::put_word(word_of(mine), round);
  rma::flush(mine.rank);
  return rma::get_word(word_of(other)) >= round;
}

bool store_fence_load(Words mine, Words other, uint64_t round) {
  mine.local()->word.store(round);
  rma::Word::fence();
  return other.local()->word.load() >= round;
}

// Both words, `top` and `base`, are the first rank's. It pops, by `pop`; the
// second steals.
void expect_one_takes(bool (*pop)(Words mine, Words other, uint64_t round)) {
  Pair pair;
  const auto top = rma::allocate<Line>(kWords);
  const auto base = rma::allocate<Line>(kWords);
  const int owner = pair.first() ? rma::rank() : pair.peer();
  expect_one_sees(&pair, [&](size_t i, uint64_t round) {
    const Words t = top.at(owner) + i, b = base.at(owner) + i;
    return pair.first() ? pop(t, b, round) : put_flush_get(b, t, round);
  });
}

// The order of steps in THE.
SPMD_TEST(RmaStoreFlushLoad, OwnerAgainstThief) {
  expect_one_takes(&store_fence_load);
}

// The owner uses the operations of rma.h on its own memory too.
SPMD_TEST(RmaStoreFlushLoad, SelfTargetedAgainstThief) {
  expect_one_takes(&put_flush_get);
}

// Each rank writes to the other's memory, and reads its own.
template <typename Write>
void expect_one_sees_crossed(Write write) {
  Pair pair;
  const auto words = rma::allocate<Line>(kWords);
  expect_one_sees(&pair, [&](size_t i, uint64_t round) {
    write(word_of(words.at(pair.peer()) + i), round);
    return (words.local() + i)->word.load() >= round;
  });
}

SPMD_TEST(RmaStoreFlushLoad, Crossed) {
  expect_one_sees_crossed([](rma::RemotePtr<rma::Word> word, uint64_t round) {
    rma::put_word(word, round);
    rma::flush(word.rank);
  });
  // The same with non-blocking puts, and with a flush of all ranks.
  expect_one_sees_crossed([](rma::RemotePtr<rma::Word> word, uint64_t round) {
    rma::put_nb(as_bytes(word), &round, sizeof(round));
    rma::flush_all();
  });
}

// An atomic is ordered before later operations by a flush like a put.
SPMD_TEST(RmaStoreFlushLoad, Atomics) {
  Pair pair;
  const auto words = rma::allocate<Line>(kWords);
  expect_one_sees(&pair, [&](size_t i, uint64_t round) {
    round % 2 == 0 ? rma::swap(word_of(words.at(rma::rank()) + i), round)
                   : rma::fetch_add(word_of(words.at(rma::rank()) + i), 1);
    rma::flush(rma::rank());
    return rma::get_word(word_of(words.at(pair.peer()) + i)) >= round;
  });
}

}  // namespace
}  // namespace magpie
