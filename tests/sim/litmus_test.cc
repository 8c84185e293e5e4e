// What exploration lets ranks see of each other, by litmus tests: tiny
// programs, each run under many seeds. A column of the table is a memory model
// (options.h):
//
//   litmus                                          sc     tso    pso
//   store x | load y, both ranks miss the other's   never  seen   seen
//   ... with a fence between, or a flush            never  never  never
//   two relaxed stores, the later one seen first    never  never  seen
//   a relaxed store and a store(), the same         never  never  never
//   a store() and a relaxed store, the same         never  never  seen
//   ... with a fence between                        never  never  never
//   a store, and a put: the put seen first          never  seen   seen
//   ... with a fence or a flush between             never  never  never
//   two puts to one target, the later seen first    seen   seen   seen
//   ... with a flush between                        never  never  never
//   ... with a fence between                        seen   seen   seen

#include "tests/sim/litmus.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <tuple>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

enum class Expected { kNever, kSeen };
constexpr Expected kNever = Expected::kNever, kSeen = Expected::kSeen;

struct Litmus {
  const char* name;
  std::vector<Part> parts;
  Seen outcome;
  Expected sc, tso, pso;
};

void PrintTo(const Litmus& litmus, std::ostream* os) { *os << litmus.name; }

// Rank 0 of two: stores, orders, reads the other's. And so does rank 1.
Part store_then_read_the_others(void (*order)(int other)) {
  return [order](const Words& words, Seen* seen) {
    const int me = rma::rank(), other = 1 - me;
    words.own_x().store(1);
    order(other);
    (*seen)[static_cast<size_t>(me)] = rma::get_word(words.x.at(other));
  };
}

// Rank 1 looks at rank 0's y, then at its x, again and again until it has seen
// that y has changed.
void read_y_then_x(const Words& words, Seen* seen) {
  do {
    (*seen)[0] = rma::get_word(words.y.at(0));
    (*seen)[1] = rma::get_word(words.x.at(0));
  } while ((*seen)[0] == 0);
}

// The same, of its own.
void load_y_then_x(const Words& words, Seen* seen) {
  while (words.own_y().load() == 0) rma::idle();
  *seen = {1, words.own_x().load()};
}

void no_order(int) {}
void fence(int) { Word::fence(); }
void flush(int other) { rma::flush(other); }

std::vector<Part> both(const Part& part) { return {part, part}; }

// Rank 1 sees rank 0's y in its own memory, and reads rank 0's x.
Part load_y_then_read_x() {
  return [](const Words& words, Seen* seen) {
    while (words.own_y().load() == 0) rma::idle();
    *seen = {1, rma::get_word(words.x.at(0))};
  };
}

Part store_then_put(void (*order)(int other)) {
  return [order](const Words& words, Seen*) {
    words.own_x().store(1);
    order(1);
    rma::put_word(words.y.at(1), 1);
  };
}

// Puts are in flight under every model.
template <typename Put>
Part put_then_put(Put put, void (*order)(int other)) {
  return [put, order](const Words& words, Seen*) {
    static constexpr uint64_t kOne = 1;
    put(words.x.at(1), &kOne);
    order(1);
    put(words.y.at(1), &kOne);
  };
}

void blocking(RemotePtr<Word> to, const uint64_t* value) {
  rma::put_word(to, *value);
}
void non_blocking(RemotePtr<Word> to, const uint64_t* value) {
  rma::put_nb({to.rank, to.offset}, value, sizeof(*value));
}
void add_non_blocking(RemotePtr<Word> to, const uint64_t* value) {
  rma::fetch_add_nb(to, *value, nullptr);
}

using Store = void (Word::*)(uint64_t);

Part store_x_then_y(Store first, void (*order)(int other), Store second) {
  return [=](const Words& words, Seen*) {
    (words.own_x().*first)(1);
    order(1);
    (words.own_y().*second)(1);
  };
}

constexpr Store kRelaxed = &Word::store_relaxed, kRelease = &Word::store;

std::vector<Litmus> litmus_tests() {
  return {
      {"StoreBuffering",
       both(store_then_read_the_others(&no_order)),
       {0, 0},
       kNever,
       kSeen,
       kSeen},
      {"StoreFenceLoad",
       both(store_then_read_the_others(&fence)),
       {0, 0},
       kNever,
       kNever,
       kNever},
      {"StoreFlushLoad",
       both(store_then_read_the_others(&flush)),
       {0, 0},
       kNever,
       kNever,
       kNever},
      {"RelaxedRelaxed",
       {store_x_then_y(kRelaxed, &no_order, kRelaxed), &read_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kSeen},
      {"RelaxedRelease",
       {store_x_then_y(kRelaxed, &no_order, kRelease), &read_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"ReleaseRelease",
       {store_x_then_y(kRelease, &no_order, kRelease), &read_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"ReleaseRelaxed",
       {store_x_then_y(kRelease, &no_order, kRelaxed), &read_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kSeen},
      {"RelaxedFenceRelaxed",
       {store_x_then_y(kRelaxed, &fence, kRelaxed), &read_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"StoreThenPut",
       {store_then_put(&no_order), load_y_then_read_x()},
       {1, 0},
       kNever,
       kSeen,
       kSeen},
      {"StoreFencePut",
       {store_then_put(&fence), load_y_then_read_x()},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"StoreFlushPut",
       {store_then_put(&flush), load_y_then_read_x()},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"PutPut",
       {put_then_put(&blocking, &no_order), &load_y_then_x},
       {1, 0},
       kSeen,
       kSeen,
       kSeen},
      {"PutFlushPut",
       {put_then_put(&blocking, &flush), &load_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
      // A fence is for the owner's words.
      {"PutFencePut",
       {put_then_put(&blocking, &fence), &load_y_then_x},
       {1, 0},
       kSeen,
       kSeen,
       kSeen},
      {"PutNbPutNb",
       {put_then_put(&non_blocking, &no_order), &load_y_then_x},
       {1, 0},
       kSeen,
       kSeen,
       kSeen},
      {"PutNbFlushPutNb",
       {put_then_put(&non_blocking, &flush), &load_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
      {"AddNbAddNb",
       {put_then_put(&add_non_blocking, &no_order), &load_y_then_x},
       {1, 0},
       kSeen,
       kSeen,
       kSeen},
      {"AddNbFlushAddNb",
       {put_then_put(&add_non_blocking, &flush), &load_y_then_x},
       {1, 0},
       kNever,
       kNever,
       kNever},
  };
}

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, UnderEachModelAndOnSeveralNetworks) {
  const Litmus& litmus = GetParam();
  for (const char* net : {"loopback", "ito_a", "ito_a,node_size=1", "ideal"}) {
    for (const auto& [name, memory, expected] :
         {std::tuple{"sc", MemoryModel::kSc, litmus.sc},
          {"tso", MemoryModel::kTso, litmus.tso},
          {"pso", MemoryModel::kPso, litmus.pso}}) {
      const std::map<Seen, int> count = outcomes(memory, net, litmus.parts);
      const auto it = count.find(litmus.outcome);
      const int times = it == count.end() ? 0 : it->second;
      EXPECT_EQ(times > 0, expected == kSeen)
          << times << " times of " << kSeeds << " under " << name << " on "
          << net;
      EXPECT_GT(count.size() + (times == 0), 1u)
          << "there is nothing to choose under " << name << " on " << net;
      std::printf("%-22s %-18s %-4s %3d of %lu\n", litmus.name, net, name,
                  times, kSeeds);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LitmusTest, testing::ValuesIn(litmus_tests()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace magpie::sim_test
