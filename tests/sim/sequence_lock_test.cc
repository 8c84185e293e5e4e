// A sequence lock under exploration (word.h): where its owner's stores are not
// ordered, it is read torn, and where they are, it never is.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

constexpr uint64_t kSeeds = 300;
constexpr std::array kModels = {MemoryModel::kSc, MemoryModel::kTso,
                                MemoryModel::kPso};

// How rank 0, which changes several words of its own as one (word.h), stores
// the number of changes: when it becomes odd, and when it is even again.
using Number = void (*)(Word& changes, uint64_t number);
// Changes one word of the data.
using Datum = void (*)(Word& word, uint64_t value);
void number_relaxed(Word& changes, uint64_t n) { changes.store_relaxed(n); }
void number_release(Word& changes, uint64_t n) { changes.store(n); }
void number_ordered(Word& changes, uint64_t n) {
  changes.store_relaxed(n);
  Word::order_stores();
}
void number_ordered_before(Word& changes, uint64_t n) {
  Word::order_stores();
  changes.store_relaxed(n);
}
void datum_relaxed(Word& word, uint64_t value) { word.store_relaxed(value); }
void datum_plain(Word& word, uint64_t value) {
  word = Word(value);
  rma::compute(1);  // others may run here
}

struct SequenceLock {
  const char* name;
  Number odd;
  Datum datum;
  Number even;
  // Under sc, tso and pso: 't' is read torn, '-' never.
  std::string_view expected;
};

void PrintTo(const SequenceLock& lock, std::ostream* os) { *os << lock.name; }

// Number of times that rank 1 takes torn data for whole.
int torn_reads(const SequenceLock& lock, const rma::sim::Options& options) {
  constexpr uint64_t kRounds = 5;
  constexpr size_t kData = 4;
  int torn = 0, whole = 0;
  with_words(options, [&](RemotePtr<Word> words) {
    if (rma::rank() == 0) {
      for (uint64_t round = 1; round <= kRounds; ++round) {
        lock.odd(*words.local(), 2 * round - 1);
        for (size_t i = 1; i <= kData; ++i) lock.datum(words.local()[i], round);
        lock.even(*words.local(), 2 * round);
        // Works for longer than stores stay unseen and others take to look.
        const Time way = rma::sim::engine->net().between_nodes.latency;
        rma::sim::engine->work(40 * way);
      }
    }
    for (uint64_t before = 0; rma::rank() == 1 && before < 2 * kRounds;) {
      before = rma::get_word(words.at(0));
      uint64_t data[kData];
      rma::get(data, bytes_of(words.at(0) + 1), sizeof(data));
      const uint64_t after = rma::get_word(words.at(0));
      if (before % 2 != 0 || before != after) continue;
      bool is_whole = true;
      for (const uint64_t datum : data) is_whole &= datum == before / 2;
      ++(is_whole ? whole : torn);
    }
    rma::barrier();
  });
  EXPECT_GT(whole + torn, 0);
  return torn;
}

std::vector<SequenceLock> sequence_locks() {
  return {
      {"Relaxed", number_relaxed, datum_relaxed, number_release, "--t"},
      {"Release", number_release, datum_relaxed, number_release, "--t"},
      {"Ordered", number_ordered, datum_relaxed, number_release, "---"},
      {"OrderedTwice", number_ordered, datum_relaxed, number_ordered_before,
       "---"},
      {"RelaxedAtTheEnd", number_ordered, datum_relaxed, number_relaxed, "--t"},
      {"PlainRelease", number_release, datum_plain, number_release, "-tt"},
      {"PlainOrdered", number_ordered, datum_plain, number_release, "---"},
      {"PlainOrderedTwice", number_ordered, datum_plain, number_ordered_before,
       "---"},
  };
}

class SequenceLockTest : public testing::TestWithParam<SequenceLock> {};

TEST_P(SequenceLockTest, IsReadTornOnlyWithoutOrder) {
  for (const char* net : {"loopback", "ito_a", "ideal"}) {
    for (size_t m = 0; m < kModels.size(); ++m) {
      int torn = 0;
      for (uint64_t seed = 1; seed <= kSeeds; ++seed)
        torn += torn_reads(GetParam(), exploring(2, net, seed, kModels[m]));
      EXPECT_EQ(torn > 0, GetParam().expected[m] == 't')
          << torn << " times under model " << m << " on " << net;
    }
    EXPECT_EQ(torn_reads(GetParam(), on(2, net)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SequenceLockTest,
                         testing::ValuesIn(sequence_locks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace magpie::sim_test
