// What exploration does beyond the table of litmus_test.cc: more words or
// fewer, sources of puts, simultaneous events.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/litmus.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::Word;

// Rank 1 sees the values of rank 0's word in the order of the stores. It also
// sees that there is something to see: not all at once, and not one by one.
TEST(Exploration, StoresToOneWordAreSeenInOrder) {
  for (MemoryModel memory : kModels) {
    std::map<size_t, int> changes;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      std::vector<uint64_t> seen;
      with_words(exploring(2, "loopback", seed, memory), [&](auto word) {
        for (uint64_t i = 1; i <= 5; ++i) {
          if (rma::rank() == 0) {
            if (i != 3) word.local()->store_relaxed(i);
            if (i == 3) word.local()->store(i);
            rma::idle();
          }
        }
        while (rma::rank() == 1 && (seen.empty() || seen.back() != 5))
          seen.push_back(rma::get_word(word.at(0)));
        linger();
        rma::barrier();
      });
      EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()))
          << "seed " << seed << ": " << testing::PrintToString(seen);
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      ++changes[seen.size()];
    }
    EXPECT_GT(changes.size(), 2u);
  }
}

// What an atomic finds in a word is what others see of it.
TEST(Exploration, AnAtomicMissesAStoreThatIsUnseen) {
  const std::vector<Part> parts = {
      [](const Words& words, Seen*) { words.own_x().store(4); },
      [](const Words& words, Seen* seen) {
        (*seen)[0] = rma::fetch_or(words.x.at(0), 1);
        do {
          (*seen)[1] = rma::get_word(words.x.at(0));
        } while ((*seen)[1] < 4);
      }};
  for (MemoryModel memory : kModels) {
    // Either the store was first, or the atomic was, and the store came over
    // it.
    const std::map<Seen, int> count = outcomes(memory, "loopback", parts);
    EXPECT_THAT(count, testing::UnorderedElementsAre(testing::Key(Seen{4, 5}),
                                                     testing::Key(Seen{0, 4})));
  }
}

// Words on a rank's own stack, which nobody else can reach, are memory.
TEST(Exploration, WordsOutsideTheHeapNeedNoFence) {
  simulate(exploring(1, "loopback", 1, MemoryModel::kPso), [] {
    Word word(1);
    word.store_relaxed(2);
    EXPECT_EQ(word.load(), 2u);
    word = Word();  // plainly
    rma::idle(1'000'000);
    EXPECT_EQ(word.load(), 0u) << "no store comes later";
  });
}

TEST(Exploration, TheSourceOfPutNbIsReadEarlyOrLate) {
  const std::vector<Part> parts = {
      [](const Words& words, Seen* seen) {
        uint64_t value = 1;
        rma::put_nb({1, words.x.offset}, &value, sizeof(value));
        value = 2;
        rma::flush(1);
        value = 3;
        (*seen)[0] = rma::get_word(words.x.at(1));
      },
      [](const Words&, Seen*) {}};
  EXPECT_THAT(outcomes(MemoryModel::kSc, "loopback", parts),
              testing::UnorderedElementsAre(testing::Key(Seen{1, 0}),
                                            testing::Key(Seen{2, 0})));
}

// A flush lets out stores when its time has come, and not when the simulator
// comes to it: work before it is long enough for the other to look.
TEST(Exploration, AFlushLetsOutStoresInItsTurn) {
  for (const bool with_flush : {true, false}) {
    const std::vector<Part> parts = {
        [&](const Words& words, Seen*) {
          words.own_x().store_relaxed(1);
          words.own_y().store_relaxed(1);
          rma::compute(100'000);
          if (with_flush) rma::flush_all();
          if (!with_flush) rma::barrier();
        },
        [&](const Words& words, Seen* seen) {
          do {
            (*seen)[0] = rma::get_word(words.y.at(0));
            (*seen)[1] = rma::get_word(words.x.at(0));
          } while ((*seen)[0] == 0);
          if (!with_flush) rma::barrier();
        }};
    EXPECT_THAT(outcomes(MemoryModel::kPso, "loopback", parts),
                testing::Contains(testing::Key(Seen{1, 0})));
  }
}

// Nothing but the order of simultaneous events is left to chance where nothing
// takes time.
TEST(Exploration, SimultaneousEventsComeInAnyOrder) {
  constexpr char kTimeless[] = "custom,latency=0s,node_latency=0s";
  const Part swap = [](const Words& words, Seen* seen) {
    (*seen)[static_cast<size_t>(rma::rank())] = rma::swap(words.x.at(0), 1);
  };
  const std::map<Seen, int> count =
      outcomes(MemoryModel::kSc, kTimeless, {swap, swap});
  EXPECT_THAT(count, testing::UnorderedElementsAre(testing::Key(Seen{0, 1}),
                                                   testing::Key(Seen{1, 0})));
  for (const auto& [seen, times] : count) EXPECT_GT(times, kSeeds / 4);
}

}  // namespace
}  // namespace magpie::sim_test
