// What exploration lets ranks see of each other, by litmus tests: tiny
// programs, each run under many seeds. The table is at the end.

#include "tests/sim/litmus.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <string_view>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

struct Litmus {
  const char* name;
  std::vector<Part> parts;
  Seen outcome;
  // Under sc, tso and pso: 's' seen, '-' never.
  std::string_view expected;
};

void PrintTo(const Litmus& litmus, std::ostream* os) { *os << litmus.name; }

// Rank 0 of two: stores, orders, reads the other's. And so does rank 1. The
// store before is let out first, and not it alone.
Part store_then_read_the_others(void (*order)(int other)) {
  return [order](const Words& words, Seen* seen) {
    const int me = rma::rank(), other = 1 - me;
    words.own_y().store(1);
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

Litmus store_buffering(const char* name, void (*order)(int other),
                       std::string_view expected) {
  return {name, both(store_then_read_the_others(order)), {0, 0}, expected};
}

// The outcome is that rank 1 sees the later of two changes, and not the first.
Litmus message(const char* name, const Part& writer, const Part& reader,
               std::string_view expected) {
  return {name, {writer, reader}, {1, 0}, expected};
}

Litmus stores(const char* name, Store first, void (*order)(int other),
              Store second, std::string_view expected) {
  return message(name, store_x_then_y(first, order, second), &read_y_then_x,
                 expected);
}

Litmus store_and_put(const char* name, void (*order)(int other),
                     std::string_view expected) {
  return message(name, store_then_put(order), load_y_then_read_x(), expected);
}

template <typename Put>
Litmus puts(const char* name, Put put, void (*order)(int other),
            std::string_view expected) {
  return message(name, put_then_put(put, order), &load_y_then_x, expected);
}

std::vector<Litmus> litmus_tests() {
  return {
      store_buffering("StoreBuffering", &no_order, "-ss"),
      store_buffering("StoreFenceLoad", &fence, "---"),
      store_buffering("StoreFlushLoad", &flush, "---"),
      stores("RelaxedRelaxed", kRelaxed, &no_order, kRelaxed, "--s"),
      stores("RelaxedRelease", kRelaxed, &no_order, kRelease, "---"),
      stores("ReleaseRelease", kRelease, &no_order, kRelease, "---"),
      stores("ReleaseRelaxed", kRelease, &no_order, kRelaxed, "--s"),
      stores("RelaxedFenceRelaxed", kRelaxed, &fence, kRelaxed, "---"),
      store_and_put("StoreThenPut", &no_order, "-ss"),
      store_and_put("StoreFencePut", &fence, "---"),
      store_and_put("StoreFlushPut", &flush, "---"),
      puts("PutPut", &blocking, &no_order, "sss"),
      puts("PutFlushPut", &blocking, &flush, "---"),
      // A fence is for the owner's words.
      puts("PutFencePut", &blocking, &fence, "sss"),
      puts("PutNbPutNb", &non_blocking, &no_order, "sss"),
      puts("PutNbFlushPutNb", &non_blocking, &flush, "---"),
      puts("AddNbAddNb", &add_non_blocking, &no_order, "sss"),
      puts("AddNbFlushAddNb", &add_non_blocking, &flush, "---"),
  };
}

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, UnderEachModelAndOnSeveralNetworks) {
  const Litmus& litmus = GetParam();
  for (const char* net : {"loopback", "ito_a", "ito_a,node_size=1", "ideal"}) {
    for (size_t m = 0; m < 3; ++m) {
      const char* const model = kModelNames[m];
      const std::map<Seen, int> count = outcomes(kModels[m], net, litmus.parts);
      const auto it = count.find(litmus.outcome);
      const int times = it == count.end() ? 0 : it->second;
      EXPECT_EQ(times > 0, litmus.expected[m] == 's')
          << times << " times of " << kSeeds << " under " << model << " on "
          << net;
      EXPECT_GT(count.size() + (times == 0), 1u)
          << "there is nothing to choose under " << model << " on " << net;
      std::printf("%-22s %-18s %-4s %3d of %lu\n", litmus.name, net, model,
                  times, kSeeds);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LitmusTest, testing::ValuesIn(litmus_tests()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace magpie::sim_test
