// Races of ranks for the same words: atomics, Dekker's core, torn words.

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// --------------------------------------------------------------------- atomics
//
// The atomics are atomic: all ranks at once on the same words, with exact
// accounts.
//
// Every case uses the words of every rank, so each rank competes with others
// as the owner of its own words, and as another on theirs.

// All ranks work on one rank's word, then on the next one's, and so on. A step
// returns whether it met another rank: found the word changed since its own
// last step. The race goes on until some rank has met others often enough; that
// shows that the ranks did run at the same time, which a fixed number of steps
// does not where they share cores with each other or with other programs.
template <typename Step>
void race(Step step) {
  constexpr size_t kMeetings = 5000;
  const size_t most_steps = rma::size() == 1 ? 10'000 : 2'000'000;
  for (int target = 0; target < rma::size(); ++target) {
    const auto decided = rma::allocate<rma::Word>();
    rma::barrier();
    size_t met = 0;
    for (size_t i = 0; i < most_steps && decided.local()->load() == 0; ++i) {
      met += step(target);
      if (met == kMeetings || i + 1 == most_steps) {
        for (int r = 0; r < rma::size(); ++r) rma::put_word(decided.at(r), 1);
      }
    }
    complete_all();
  }
}

// The sum of the ranks' numbers. Collective.
uint64_t total(uint64_t value) {
  rma::reduce(&value, 1, rma::Reduction::kSum);
  return value;
}

// Returns whether the word is not as this rank's last step left it. What was
// put in and what was taken out must agree: `sum` is the difference.
bool one_of_all_kinds(rma::RemotePtr<rma::Word> word, uint64_t choice,
                      uint64_t* left, uint64_t* sum) {
  const uint64_t expected = *left;
  uint64_t before = 0;
  if (choice % 8 == 0) {
    before = rma::swap(word, 0);
    *sum -= before;
    *left = 0;
    return before != expected;
  }
  const uint64_t add = choice % 8 < 3 ? 5 : 1;
  if (add == 5) {
    rma::fetch_add_nb(word, add, &before);
    rma::flush(word.rank);
  } else {
    before = rma::fetch_add(word, add);
  }
  *sum += add;
  *left = before + add;
  return before != expected;
}

SPMD_TEST(RmaAtomics, AllKindsOnOneWord) {
  const auto words = rma::allocate<rma::Word>();
  std::vector<uint64_t> left(rank_count());  // by target
  uint64_t sum = 0;
  std::mt19937_64 random(this_rank());
  race([&](int target) {
    return one_of_all_kinds(words.at(target), random(), &left[target], &sum);
  });
  EXPECT_EQ(total(sum - words.local()->load()), 0u);
}

// The owner reads by Word::load, which sees everybody's additions in order.
SPMD_TEST(RmaAtomics, OwnersLoadNeverGoesBack) {
  const auto counter = rma::allocate<rma::Word>();
  uint64_t last = 0, mine = 0, wrong = 0;
  race([&](int target) {
    const uint64_t before = rma::fetch_add(counter.at(target), 1);
    if (target != rma::rank()) return false;
    const uint64_t now = counter.local()->load();
    wrong += now <= before || now < last || now < ++mine;
    const bool met = now != last + 1;
    last = now;
    return met;
  });
  EXPECT_EQ(wrong, 0u);
}

// --------------------------------------------------------------- Dekker's core
//
// Dekker's core, which THE rests on: each of two ranks writes its own word,
// fences, and reads the other's. They never both read the old value.
//
// For the owner of a word the steps are Word::store, Word::fence, Word::load;
// for everybody else put, flush, get. Without a fence on either side the
// failing outcome is rare, so that each round runs through many pairs of words,
// where two ranks overtake each other many times.

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

// ------------------------------------------------------------------ torn words
//
// Transfers of whole aligned 8-byte words tear none of them.
//
// All bytes of a word are alike at any time, since all values written are.
// Every rank writes its neighbour's words, and watches its own and its other
// neighbour's while they are written.

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

// The alignment of the remote words counts, not that of the rank's own bytes.
SPMD_TEST(RmaTearing, WordsStayWhole) {
  // A word is rarely seen at the wrong moment; over a network rounds are slow.
  const bool is_fast = std::string_view(rma::kBackend.name) == "shm";
  const int rounds = spmd::simulated() ? 100 : is_fast ? 40'000 : 1000;
  for (size_t words : {1, 3, 31, 128}) {
    for (size_t misalignment : {0, 1, 4}) {
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
