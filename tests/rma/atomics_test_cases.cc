// The atomics are atomic: all ranks at once on the same words, with exact
// accounts.
//
// Every case uses the words of every rank, so each rank competes with others
// as the owner of its own words, and as another on theirs.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

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

// Mixes a value, so that sums compare multisets: equal sums, equal values.
uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// The sum of the ranks' numbers. Collective.
uint64_t total(uint64_t value) {
  rma::reduce(&value, 1, rma::Reduction::kSum);
  return value;
}

// The returned values are 0, 1, ..., each exactly once.
SPMD_TEST(RmaAtomics, FetchAddCountsEveryOneOnce) {
  const auto counter = rma::allocate<rma::Word>();
  std::vector<uint64_t> next(rank_count());  // by target
  uint64_t mixed = 0, back = 0;
  race([&](int target) {
    const uint64_t before = rma::fetch_add(counter.at(target), 1);
    uint64_t& expected = next[target];
    const bool met = before != expected;
    mixed += mix(before);
    back += before < expected;
    expected = before + 1;
    return met;
  });
  EXPECT_EQ(back, 0u) << "times the counter went back";
  for (uint64_t i = 0; i < counter.local()->load(); ++i) mixed -= mix(i);
  EXPECT_EQ(total(mixed), 0u);
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

}  // namespace
}  // namespace magpie
