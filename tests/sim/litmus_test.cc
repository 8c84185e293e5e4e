// Tests of what exploration lets ranks see of each other: tiny programs, each
// run under many seeds, and without exploration. First a table of litmus tests,
// then tests that do not fit into it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr uint64_t kSeeds = 300;
constexpr std::array kModels = {MemoryModel::kSc, MemoryModel::kTso,
                                MemoryModel::kPso};

// Two words, zero at first; every rank has its own.
struct Words {
  RemotePtr<Word> x, y;
  Word& own_x() const { return *x.local(); }
  Word& own_y() const { return *y.local(); }
};

// Values that ranks saw.
using Seen = std::array<uint64_t, 2>;
using Part = std::function<void(const Words&, Seen*)>;

// Goes on for longer than anything stays on its way or unseen.
void linger() {
  rma::idle();
  wait_until(clock() + 80 * rma::sim::engine->net().between_nodes.latency);
  rma::idle();
}

// Values that ranks see, where rank r does parts[r] after `delay`.
Seen outcome(const rma::sim::Options& options, const std::vector<Part>& parts,
             const std::function<Time()>& delay) {
  Seen seen = {};
  simulate(options, [&] {
    const auto both = rma::allocate<Word>(2);
    const Words words = {both, both + 1};
    rma::barrier();
    wait_until(clock() + delay());
    parts[rma::rank()](words, &seen);
    linger();  // the next calls let out all stores
    rma::flush_all();
    rma::barrier();
  });
  return seen;
}

// Counts of each outcome over the seeds 1 to kSeeds.
std::map<Seen, int> outcomes(MemoryModel memory, const std::string& net,
                             const std::vector<Part>& parts) {
  std::map<Seen, int> count;
  const int ranks = static_cast<int>(parts.size());
  for (uint64_t seed = 1; seed <= kSeeds; ++seed)
    ++count[outcome(exploring(ranks, net, seed, memory), parts,
                    [] { return Time{0}; })];
  return count;
}

// Counts of outcomes without exploration, where one rank or the other is late.
std::map<Seen, int> smooth_outcomes(const std::string& net,
                                    const std::vector<Part>& parts) {
  std::map<Seen, int> count;
  const auto options = on(static_cast<int>(parts.size()), net);
  for (uint64_t late : {0, 1}) {
    for (uint64_t step = 0; step < 25; ++step)
      ++count[outcome(options, parts, [&] {
        const bool waits = rma::rank() == static_cast<int>(late);
        return waits ? step * options.net.between_nodes.latency / 8 : Time{0};
      })];
  }
  return count;
}

struct Litmus {
  const char* name;
  std::vector<Part> parts;
  Seen outcome;
  // Whether the outcome is seen under sc, tso and pso: 's' seen, '-' never.
  // Without exploration it never is.
  std::string_view expected;
};

void PrintTo(const Litmus& litmus, std::ostream* os) { *os << litmus.name; }

// Changes by rank 0, in its own memory or in rank 1's.
using Change = void (*)(RemotePtr<Word> own);
constexpr uint64_t kOne = 1;
void relaxed(RemotePtr<Word> own) { own.local()->store_relaxed(1); }
void release(RemotePtr<Word> own) { own.local()->store(1); }
// Plainly: others may run before the next step.
void plain(RemotePtr<Word> own) {
  *own.local() = Word(1);
  rma::compute(1);
}
// Stores when others have begun to look.
void release_late(RemotePtr<Word> own) {
  rma::sim::engine->work(4 * rma::sim::engine->net().between_nodes.latency);
  own.local()->store(1);
}
void put(RemotePtr<Word> own) { rma::put_word(own.at(1), 1); }
void put_nb(RemotePtr<Word> own) { rma::put_nb({1, own.offset}, &kOne, 8); }
void put_both(RemotePtr<Word> own) {
  constexpr uint64_t kOnes[] = {1, 1};
  rma::put({1, own.offset}, kOnes, sizeof(kOnes));
}
void add_nb(RemotePtr<Word> own) { rma::fetch_add_nb(own.at(1), 1, nullptr); }

using Order = void (*)();
void nothing() {}
void fence() { Word::fence(); }
void order_stores() { Word::order_stores(); }
void flush() { rma::flush(1 - rma::rank()); }
const rma::Cost kCopyByte("copy_byte");
void charge() { rma::charge(kCopyByte); }
void compute() { rma::compute(1); }

using Read = uint64_t (*)(RemotePtr<Word> there);
uint64_t get(RemotePtr<Word> there) { return rma::get_word(there); }
uint64_t atomic(RemotePtr<Word> there) { return rma::fetch_add(there, 0); }

// Both ranks store, order, and read the other's word. The outcome is that
// neither sees the other's store. Each has an older store in its buffer, so
// that it is not enough to let out the oldest.
Litmus store_buffering(const char* name, Order order, Read read,
                       std::string_view expected) {
  const Part part = [=](const Words& words, Seen* seen) {
    const int me = rma::rank();
    words.own_y().store(1);
    words.own_x().store(1);
    order();
    (*seen)[me] = read(words.x.at(1 - me));
  };
  return {name, {part, part}, {0, 0}, expected};
}

// Rank 0 changes x, then y. The outcome is that rank 1 sees the later of the
// two changes, and not the first.
Litmus message(const char* name, Change first, Order order, Change second,
               const Part& reader, std::string_view expected) {
  const Part writer = [=](const Words& words, Seen*) {
    first(words.x);
    order();
    second(words.y);
  };
  return {name, {writer, reader}, {1, 0}, expected};
}

// Rank 1 looks at rank 0's y, then at its x, until it has seen that y has
// changed.
void both_there(const Words& words, Seen* seen) {
  do {
    (*seen)[0] = rma::get_word(words.y.at(0));
    (*seen)[1] = rma::get_word(words.x.at(0));
  } while ((*seen)[0] == 0);
}
// Rank 1 looks likewise at its own words; at its own y and rank 0's x.
void both_here(const Words& words, Seen* seen) {
  while (words.own_y().load() == 0) rma::idle();
  *seen = {1, words.own_x().load()};
}
void y_here(const Words& words, Seen* seen) {
  while (words.own_y().load() == 0) rma::idle();
  *seen = {1, rma::get_word(words.x.at(0))};
}

// Rank 1 reads both words by one get.
void both_at_once(const Words& words, Seen* seen) {
  uint64_t got[2];
  do {
    rma::get(got, {0, words.x.offset}, sizeof(got));
  } while (got[1] == 0);
  *seen = {got[1], got[0]};
}

void nobody_else(const Words&, Seen*) {}

// Rank 0 changes its x and y by plain stores. The outcome is that rank 1 sees x
// changed, and then y not yet.
Litmus plain_stores(const char* name, Order between,
                    std::string_view expected) {
  const Part writer = [=](const Words& words, Seen*) {
    words.own_x() = Word(1);
    between();
    words.own_y() = Word(1);
  };
  const Part reader = [](const Words& words, Seen* seen) {
    do {
      (*seen)[0] = rma::get_word(words.x.at(0));
      (*seen)[1] = rma::get_word(words.y.at(0));
    } while ((*seen)[0] == 0);
  };
  return {name, {writer, reader}, {1, 0}, expected};
}

// Rank 0 changes a word of rank 1, and looks at it when all that is sent has
// arrived, and again after a flush. The outcome is that the first look does not
// find it.
Litmus late(const char* name, Change change, Order order,
            std::string_view expected) {
  const Part writer = [=](const Words& words, Seen* seen) {
    change(words.x);
    order();
    linger();
    (*seen)[0] = rma::get_word(words.x.at(1));
    rma::flush(1);
    (*seen)[1] = rma::get_word(words.x.at(1));
  };
  return {name, {writer, nobody_else}, {0, 1}, expected};
}

void swap_in(RemotePtr<Word> x) { rma::swap(x.at(1), 1); }

// Rank 0 changes rank 1's x, which stores something else as soon as it sees
// that. The outcome is that this is changed again.
Litmus again(const char* name, Change change, std::string_view expected) {
  const Part writer = [=](const Words& words, Seen*) { change(words.x); };
  const Part owner = [](const Words& words, Seen* seen) {
    while (words.own_x().load() == 0) rma::idle();
    words.own_x().store(3);
    linger();
    (*seen)[0] = words.own_x().load();
  };
  return {name, {writer, owner}, {1, 0}, expected};
}

// Rank 1 adds 2 to rank 0's x, while rank 0 does `meanwhile` to it. The outcome
// is that only the addition has an effect.
Litmus into_an_atomic(const char* name, Change meanwhile,
                      std::string_view expected) {
  const Part owner = [=](const Words& words, Seen* seen) {
    meanwhile(words.x);
    linger();
    rma::flush(0);
    (*seen)[0] = words.own_x().load();
  };
  const Part adder = [](const Words& words, Seen*) {
    rma::fetch_add(words.x.at(0), 2);
  };
  return {name, {owner, adder}, {2, 0}, expected};
}
void put_here(RemotePtr<Word> own) { rma::put_word(own, 1); }
void add_here(RemotePtr<Word> own) { rma::fetch_add(own, 1); }

// Puts are in flight under every model.
std::vector<Litmus> litmus_tests() {
  return {
      store_buffering("StoreBuffering", nothing, get, "-ss"),
      store_buffering("StoreAtomic", nothing, atomic, "-ss"),
      store_buffering("StoreFenceLoad", fence, get, "---"),
      store_buffering("StoreFlushLoad", flush, get, "---"),
      message("RelaxedRelaxed", relaxed, nothing, relaxed, both_there, "--s"),
      message("RelaxedRelease", relaxed, nothing, release, both_there, "---"),
      message("ReleaseRelease", release, nothing, release, both_there, "---"),
      message("ReleaseRelaxed", release, nothing, relaxed, both_there, "--s"),
      message("RelaxedFenceRelaxed", relaxed, fence, relaxed, both_there,
              "---"),
      // Parts of a sequence lock (word.h): data that are stored after the odd
      // number, plainly or not; and the even number, after plain data.
      message("RelaxedOrderRelaxed", relaxed, order_stores, relaxed, both_there,
              "---"),
      message("RelaxedOrderPlain", relaxed, order_stores, plain, both_there,
              "---"),
      message("ReleasePlain", release, nothing, plain, both_there, "-ss"),
      message("PlainRelease", plain, nothing, release, both_there, "---"),
      message("PlainOrderRelaxed", plain, order_stores, relaxed, both_there,
              "---"),
      message("StoreThenPut", release, nothing, put, y_here, "-ss"),
      message("StoreFencePut", release, fence, put, y_here, "---"),
      message("StoreFlushPut", release, flush, put, y_here, "---"),
      message("PutPut", put, nothing, put, both_here, "sss"),
      message("PutFlushPut", put, flush, put, both_here, "---"),
      // A fence is for the owner's words.
      message("PutFencePut", put, fence, put, both_here, "sss"),
      message("PutNbPutNb", put_nb, nothing, put_nb, both_here, "sss"),
      message("PutNbFlushPutNb", put_nb, flush, put_nb, both_here, "---"),
      message("AddNbAddNb", add_nb, nothing, add_nb, both_here, "sss"),
      message("AddNbFlushAddNb", add_nb, flush, add_nb, both_here, "---"),
      // Transfers of two words are seen in parts.
      message("GetOfTwo", release_late, nothing, release, both_at_once, "sss"),
      message(
          "PutOfTwo", put_both, nothing, [](auto) {}, both_here, "sss"),
      // A copy may write a word more than once, an addition may not.
      again("PutAgain", put, "sss"),
      again("PutNbAgain", put_nb, "sss"),
      again("PutOfTwoAgain", put_both, "sss"),
      again("SwapAgain", swap_in, "sss"),
      again("AddNbAgain", add_nb, "---"),
      // Others may run where time is charged.
      plain_stores("PlainPlain", nothing, "---"),
      plain_stores("PlainChargePlain", charge, "sss"),
      plain_stores("PlainComputePlain", compute, "sss"),
      // Operations that nobody flushes may stay unseen.
      late("PutIsLate", put, nothing, "sss"),
      late("PutNbIsLate", put_nb, nothing, "sss"),
      late("AddNbIsLate", add_nb, nothing, "sss"),
      late("PutFlushIsNotLate", put, flush, "---"),
      // Atomics exclude each other, and nothing else.
      into_an_atomic("StoreIntoAtomic", release, "sss"),
      into_an_atomic("PutIntoAtomic", put_here, "sss"),
      into_an_atomic("AddIntoAtomic", add_here, "---"),
  };
}

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, UnderEachModelAndOnSeveralNetworks) {
  const Litmus& litmus = GetParam();
  for (const char* net : {"ito_a", "ito_a,node_size=1", "ideal"}) {
    for (size_t m = 0; m < 3; ++m) {
      constexpr const char* kNames[] = {"sc", "tso", "pso"};
      const std::map<Seen, int> count = outcomes(kModels[m], net, litmus.parts);
      const auto it = count.find(litmus.outcome);
      const int times = it == count.end() ? 0 : it->second;
      EXPECT_EQ(times > 0, litmus.expected[m] == 's')
          << times << " times of " << kSeeds << " under " << kNames[m] << " on "
          << net;
      EXPECT_GT(count.size() + (times == 0), 1u)
          << "there is nothing to choose under " << kNames[m] << " on " << net;
      std::printf("%-22s %-18s %-4s %3d of %lu\n", litmus.name, net, kNames[m],
                  times, kSeeds);
    }
    EXPECT_FALSE(smooth_outcomes(net, litmus.parts).contains(litmus.outcome))
        << "without exploration on " << net;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LitmusTest, testing::ValuesIn(litmus_tests()),
                         [](const auto& info) { return info.param.name; });

// Stores to one word stay in order: exploration_test.

// Words on a rank's own stack, which nobody else can reach, are plain memory.
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
              UnorderedElementsAre(Key(Seen{1, 0}), Key(Seen{2, 0})));
}

TEST(Exploration, AtomicPutsAreNotTorn) {
  for (const bool promised : {true, false}) {
    const std::string net =
        std::string("fx10") + (promised ? ",writes=atomic" : "");
    for (const Litmus& torn :
         {again("", put, ""), into_an_atomic("", put_here, "")})
      EXPECT_EQ(
          outcomes(MemoryModel::kSc, net, torn.parts).contains(torn.outcome),
          !promised);
  }
}

// A flush lets out stores at its own time, not when the simulator comes to it:
// work before it is long enough for the other rank to look.
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
                testing::Contains(Key(Seen{1, 0})));
  }
}

}  // namespace
}  // namespace magpie::sim_test
