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

// Every token that goes into a word comes out exactly once, or is the last one
// in it.
SPMD_TEST(RmaAtomics, SwapLosesAndDoublesNothing) {
  const auto word = rma::allocate<rma::Word>();
  const uint64_t me = (this_rank() + 1) << 40;
  uint64_t token = me, in = mix(0), out = 0;
  race([&](int target) {
    in += mix(++token);
    const uint64_t before = rma::swap(word.at(target), token);
    out += mix(before);
    return before >> 40 != me >> 40;
  });
  out += mix(word.local()->load());
  EXPECT_EQ(total(in - out), 0u);
}

// All ranks set the same bits, in orders of their own: each bit has one rank
// that found it unset.
SPMD_TEST(RmaAtomics, FetchOrHasOneFirst) {
  constexpr size_t kWords = 500;
  const auto words = rma::allocate<rma::Word>(kWords);
  std::mt19937_64 random(this_rank());
  std::vector<uint64_t> first(64 * kWords);
  rma::barrier();
  for (size_t w = 0; w < kWords; ++w) {
    const auto word = words.at(static_cast<int>(w) % rma::size()) + w;
    const uint64_t begin = random() % 64, stride = 2 * (random() % 32) + 1;
    for (uint64_t i = 0; i < 64; ++i) {
      const uint64_t bit = (begin + i * stride) % 64;
      const uint64_t before = rma::fetch_or(word, uint64_t{1} << bit);
      first[64 * w + bit] += (before >> bit & 1) == 0;
    }
    EXPECT_EQ(rma::fetch_or(word, 0), ~uint64_t{0});
  }
  EXPECT_TRUE(all_ranks_sum_to(first, 1));
}

// All ranks compete for each word: one gets it, and the others are told who.
SPMD_TEST(RmaAtomics, CompareSwapHasOneWinner) {
  constexpr size_t kWords = 5000;
  const auto words = rma::allocate<rma::Word>(kWords);
  const uint64_t me = this_rank() + 1;
  std::vector<uint64_t> wins(kWords), told(kWords);
  rma::barrier();
  for (size_t w = 0; w < kWords; ++w) {
    const auto word = words.at(static_cast<int>(w) % rma::size()) + w;
    const uint64_t before = rma::compare_swap(word, 0, me);
    wins[w] = before == 0;
    told[w] = before == 0 ? me : before;
    EXPECT_EQ(rma::compare_swap(word, me + 1000, me), told[w])
        << "an unexpected value stays";
    EXPECT_EQ(rma::get_word(word), told[w]);
  }
  EXPECT_TRUE(all_ranks_sum_to(wins, 1));
  EXPECT_TRUE(same_on_all_ranks(told));
}

SPMD_TEST(RmaAtomics, CompareSwapCounts) {
  const auto counter = rma::allocate<rma::Word>();
  std::vector<uint64_t> seen(rank_count());  // by target
  uint64_t counted = 0;
  race([&](int target) {
    uint64_t& expected = seen[target];
    const uint64_t before =
        rma::compare_swap(counter.at(target), expected, expected + 1);
    const bool done = before == expected;
    counted += done;
    expected = before + done;
    return !done;
  });
  EXPECT_EQ(total(counted - counter.local()->load()), 0u);
}

// The account of all kinds on one word. Its low half counts, its high half has
// flags; a swap empties both, and the accounts of what was put in and what was
// taken out must agree.
struct Account {
  // Added minus taken.
  uint64_t count = 0;
  // Set minus cleared.
  uint64_t flags = 0;
};

void take_out(uint64_t word, Account* account) {
  account->count -= word & 0xFFFFFFFF;
  account->flags -= static_cast<uint64_t>(__builtin_popcountll(word >> 32));
}

// Returns whether the word is not as this rank's last step left it.
bool one_of_all_kinds(rma::RemotePtr<rma::Word> word, uint64_t choice,
                      uint64_t* left, Account* account) {
  const uint64_t flag = uint64_t{1} << (32 + choice / 8 % 32);
  const uint64_t expected = *left;
  uint64_t before = 0, add = 0;
  switch (choice % 8) {
    case 0:
      before = rma::swap(word, 0);
      take_out(before, account);
      *left = 0;
      return before != expected;
    case 1:
    case 2:
      before = rma::fetch_or(word, flag);
      account->flags += (before & flag) == 0;
      *left = before | flag;
      return before != expected;
    case 3:
      before = rma::compare_swap(word, expected, expected + 3);
      add = before == expected ? 3 : 0;
      break;
    case 4:
      add = 5;
      rma::fetch_add_nb(word, add, &before);
      rma::flush(word.rank);
      break;
    default:
      add = 1;
      before = rma::fetch_add(word, add);
  }
  account->count += add;
  *left = before + add;
  return before != expected;
}

SPMD_TEST(RmaAtomics, AllKindsOnOneWord) {
  const auto words = rma::allocate<rma::Word>();
  std::vector<uint64_t> left(rank_count());  // by target
  Account account;
  std::mt19937_64 random(this_rank());
  race([&](int target) {
    return one_of_all_kinds(words.at(target), random(), &left[target],
                            &account);
  });
  take_out(words.local()->load(), &account);
  EXPECT_EQ(total(account.count), 0u) << "put in, less what came out";
  EXPECT_EQ(total(account.flags), 0u) << "put in, less what came out";
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
