// The atomics are atomic: all ranks at once on the same words, with exact
// accounts.
//
// Every case uses the words of every rank, so each rank is an owner in
// competition with others on its own words, and another on theirs.

#include "tests/rma/helpers.h"
#include "tests/spmd/spmd.h"

namespace magpie {
namespace {

// ~50,000 operations for a job, however many ranks.
size_t share(size_t all) { return all / static_cast<size_t>(rma::size()); }

// The values before are each number below the total exactly once.
SPMD_TEST(RmaAtomics, FetchAddCountsEveryOneOnce) {
  const auto counter = rma::allocate<rma::Word>();
  const size_t mine = share(20'000),
               total = mine * static_cast<size_t>(rma::size());
  rma::barrier();
  for (int target = 0; target < rma::size(); ++target) {
    std::vector<uint64_t> seen(total);
    uint64_t last = 0;
    for (size_t i = 0; i < mine; ++i) {
      const uint64_t before = rma::fetch_add(counter.at(target), 1);
      ASSERT_LT(before, total);
      ASSERT_TRUE(i == 0 || before > last) << before << " behind " << last;
      last = before;
      ++seen[before];
    }
    EXPECT_TRUE(all_ranks_sum_to(seen, 1)) << "on rank " << target;
    EXPECT_EQ(rma::get_word(counter.at(target)), total);
  }
}

SPMD_TEST(RmaAtomics, FetchAddWrapsAround) {
  const auto counter = rma::allocate<rma::Word>();
  const auto word = counter.at(neighbour(1));
  EXPECT_EQ(rma::fetch_add(word, ~uint64_t{0}), 0u);  // minus one
  EXPECT_EQ(rma::fetch_add(word, uint64_t{1} << 63), ~uint64_t{0});
  EXPECT_EQ(rma::fetch_add(word, (uint64_t{1} << 63) + 1),
            (uint64_t{1} << 63) - 1);
  EXPECT_EQ(rma::fetch_add(word, 0), 0u);
  rma::barrier();
}

// Every token that goes into a word comes out exactly once, or is the last one
// in it.
SPMD_TEST(RmaAtomics, SwapLosesAndDoublesNothing) {
  constexpr size_t kWords = 3;
  const auto words = rma::allocate<rma::Word>(kWords);
  const size_t mine = share(40'000),
               total = mine * static_cast<size_t>(rma::size());
  std::vector<uint64_t> out(total);
  uint64_t empty = 0;
  const auto take = [&](uint64_t token) {
    ASSERT_LE(token, total);
    token == 0 ? ++empty : ++out[token - 1];
  };
  rma::barrier();
  for (size_t i = 0; i < mine; ++i) {
    const int target = static_cast<int>(i) % rma::size();
    const uint64_t token = static_cast<uint64_t>(rma::rank()) * mine + i + 1;
    take(rma::swap(words.at(target) + i % kWords, token));
  }
  rma::barrier();
  for (size_t w = 0; w < kWords; ++w) take(words.local()[w].load());
  EXPECT_TRUE(all_ranks_sum_to(out, 1));
  rma::reduce(&empty, 1, rma::Reduction::kSum);
  EXPECT_EQ(empty, kWords * static_cast<size_t>(rma::size()))
      << "each word was empty once";
}

// All ranks set the same bits, in orders of their own: each bit has one rank
// that found it unset.
SPMD_TEST(RmaAtomics, FetchOrHasOneFirst) {
  constexpr size_t kWords = 200;
  const auto words = rma::allocate<rma::Word>(kWords);
  std::mt19937_64 random(static_cast<uint64_t>(rma::rank()));
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
  constexpr size_t kWords = 3000;
  const auto words = rma::allocate<rma::Word>(kWords);
  const uint64_t me = static_cast<uint64_t>(rma::rank()) + 1;
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
  std::vector<uint64_t> low = told, high = told;
  rma::reduce(low.data(), kWords, rma::Reduction::kMin);
  rma::reduce(high.data(), kWords, rma::Reduction::kMax);
  EXPECT_EQ(low, high);
}

SPMD_TEST(RmaAtomics, CompareSwapCounts) {
  const auto counters = rma::allocate<rma::Word>();
  const size_t mine = share(20'000);
  rma::barrier();
  for (int target = 0; target < rma::size(); ++target) {
    for (size_t i = 0; i < mine; ++i) {
      uint64_t seen = 0, before;
      while ((before = rma::compare_swap(counters.at(target), seen,
                                         seen + 1)) != seen)
        seen = before;
    }
  }
  rma::barrier();
  EXPECT_EQ(counters.local()->load(), mine * static_cast<size_t>(rma::size()));
}

// All kinds on one word. Its low half counts, its high half has flags; a swap
// empties both, and the accounts of what was added and what was taken out must
// agree.
struct Account {
  uint64_t count = 0;  // added minus taken
  uint64_t flags = 0;  // set minus cleared
};

constexpr uint64_t kFlagBits = 32;

void take_out(uint64_t word, Account* account) {
  account->count -= word & 0xFFFFFFFF;
  account->flags -= static_cast<uint64_t>(__builtin_popcountll(word >> 32));
}

void one_of_all_kinds(rma::RemotePtr<rma::Word> word, uint64_t choice,
                      Account* account) {
  const uint64_t flag = uint64_t{1} << (32 + choice / 8 % kFlagBits);
  uint64_t seen = 0, before = 0;
  switch (choice % 8) {
    case 0:
      return take_out(rma::swap(word, 0), account);
    case 1:
    case 2:
      account->flags += (rma::fetch_or(word, flag) & flag) == 0;
      return;
    case 3:
      while ((before = rma::compare_swap(word, seen, seen + 3)) != seen)
        seen = before;
      account->count += 3;
      return;
    case 4:
      rma::fetch_add_nb(word, 5, &before);
      rma::flush(word.rank);
      account->count += 5;
      return;
    default:
      rma::fetch_add(word, 1);
      account->count += 1;
  }
}

SPMD_TEST(RmaAtomics, AllKindsOnOneWord) {
  const auto words = rma::allocate<rma::Word>();
  const size_t mine = share(40'000);
  Account account;
  std::mt19937_64 random(static_cast<uint64_t>(rma::rank()));
  rma::barrier();
  for (int target = 0; target < rma::size(); ++target) {
    for (size_t i = 0; i < mine; ++i)
      one_of_all_kinds(words.at(target), random(), &account);
  }
  rma::barrier();
  take_out(words.local()->load(), &account);
  std::vector<uint64_t> balance = {account.count, account.flags};
  EXPECT_TRUE(all_ranks_sum_to(balance, 0))
      << "more was put in than came out, or the reverse";
}

// The owner alone reads by Word::load, which sees the others' additions in
// order.
SPMD_TEST(RmaAtomics, OwnersLoadNeverGoesBack) {
  const auto counter = rma::allocate<rma::Word>();
  const size_t mine = share(20'000);
  rma::barrier();
  uint64_t last = 0;
  for (size_t i = 0; i < mine; ++i) {
    for (int hop : {0, 1}) rma::fetch_add(counter.at(neighbour(hop)), 1);
    const uint64_t now = counter.local()->load();
    ASSERT_GE(now, last);
    ASSERT_GT(now, i) << "an owner sees its own additions";
    last = now;
  }
  rma::barrier();
  EXPECT_EQ(counter.local()->load(), 2 * mine);
}

}  // namespace
}  // namespace magpie
