// The search loop and the remote lock among ranks.

#include "common/stealing/search.h"

#include <span>

#include "common/stealing/group.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "common/stealing/remote_lock.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// Attempts go to victims in turn until the fifth takes something.
SPMD_TEST(Search, GoesOnUntilSomethingIsTaken) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody to steal from";
  Search<NextVictim> search({});
  NextVictim expected(Group::of_all(), rma::rank(), 0);
  int attempts = 0;
  const auto attempt = [&](int victim) {
    EXPECT_EQ(victim, expected.next());
    if (++attempts == 5) return Outcome::kTaken;
    return attempts % 2 == 0 ? Outcome::kBusy : Outcome::kEmpty;
  };
  EXPECT_TRUE(search.until([] { return false; }, attempt));
  EXPECT_EQ(attempts, 5);
  EXPECT_EQ(search.stats().steals_ok, 1u);
  EXPECT_EQ(search.stats().steals_failed, 4u);
}

// Nothing of the caller's stays unflushed while it waits for others.
SPMD_TEST(Search, EndsWhenTheRunIsOver) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody to steal from";
  Search<NextVictim> search({});
  const auto word = rma::allocate<rma::Word>();
  rma::barrier();
  static constexpr uint64_t kOne = 1;
  rma::put_nb({rma::rank(), word.offset}, &kOne, sizeof(kOne));
  int attempts = 0;
  const bool found = search.until([&] { return attempts == 3; },
                                  [&](int) {
                                    EXPECT_EQ(word.local()->load(), 1u);
                                    ++attempts;
                                    return Outcome::kEmpty;
                                  });
  EXPECT_FALSE(found);
  EXPECT_EQ(search.stats().steals_ok, 0u);
  EXPECT_EQ(search.stats().steals_failed, 3u);
  EXPECT_EQ(search.stats().steal_ns, 0u);
}

// Victims are of the group; with --forced_steal the rank of the root waits for
// those that will search in the group, though they have not come yet.
void root_waits_for_thieves(const Group& group, int root) {
  Search<NextVictim> search({.forced_steal = true}, group, root);
  LockedDeque<int> queue({.capacity = 10});
  const auto taken = rma::allocate<rma::Word>().at(root);
  rma::barrier();
  if (rma::rank() == root) {
    queue.push(5);
    search.after_push(queue);
    EXPECT_TRUE(queue.empty());
  } else if (group.has(rma::rank())) {
    rma::idle(1000);
    const auto take = [&](std::span<const int> items) {
      rma::fetch_add(taken, static_cast<uint64_t>(items.front()));
    };
    search.until([&] { return rma::get_word(taken) != 0; },
                 [&](int victim) {
                   EXPECT_TRUE(group.has(victim));
                   return queue.steal(queue.remote(victim), take);
                 });
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(rma::get_word(taken), 5u);
}

SPMD_TEST(Search, ThievesAreExpected) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody steals";
  root_waits_for_thieves(Group::of_all(), 0);
}

SPMD_TEST(Search, OfAGroup) {
  if (rma::size() < 4) GTEST_SKIP() << "no group of two that is not all";
  const Group group = {.first = 1, .size = rma::size() / 2};
  root_waits_for_thieves(group, group.rank(group.size - 1));
}

// With --forced_steal nobody waits for ranks that never search.
SPMD_TEST(Search, VictimsAlone) {
  const Search<NextVictim> search({.forced_steal = true}, Group::of_all(),
                                  /*root=*/0, /*searchers=*/1);
  LockedDeque<int> queue({.capacity = 10});
  rma::barrier();
  if (rma::rank() == 0) {
    queue.push(5);
    search.after_push(queue);
    EXPECT_FALSE(queue.empty());
  }
}

// Pauses grow by one poll of the network with each failure, up to the flag's
// value: on a simulated network polls are what time is made of.
SPMD_TEST(Search, BacksOffUpToItsLimit) {
  if (!spmd::simulated() || rma::size() == 1)
    GTEST_SKIP() << "needs exact time and a victim";
  rma::barrier();
  const uint64_t before = rma::now();
  rma::idle(1000);
  const double poll = static_cast<double>(rma::now() - before) / 1000;
  for (const int backoff : {1, 3, 16}) {
    Search<NextVictim> search({.backoff = backoff});
    int attempts = 0;
    const uint64_t begin = rma::now();
    search.until([&] { return attempts == 20; },
                 [&](int) {
                   ++attempts;
                   return Outcome::kEmpty;
                 });
    int polls = 0;
    for (int failures = 1; failures <= 19; ++failures)
      polls += std::min(failures, backoff);
    EXPECT_NEAR(static_cast<double>(rma::now() - begin) / poll, polls, 1)
        << "backoff " << backoff;
    rma::barrier();
  }
}

// All ranks add to a number that only the lock protects.
SPMD_TEST(RemoteLock, OneHasItAtATime) {
  constexpr uint64_t kRounds = 50;
  struct Shared {
    rma::Word lock, number;
  };
  const auto shared = rma::allocate<Shared>();
  const auto word = shared.at(0).field(&Shared::lock);
  const auto number = shared.at(0).field(&Shared::number);
  rma::barrier();
  for (uint64_t i = 0; i < kRounds; ++i) {
    lock(word);
    EXPECT_FALSE(try_lock(word));
    rma::put_word(number, rma::get_word(number) + 1);
    rma::flush(0);
    unlock(word);
  }
  rma::barrier();
  EXPECT_EQ(rma::get_word(number),
            kRounds * static_cast<uint64_t>(rma::size()));
  EXPECT_TRUE(rma::rank() != 0 || try_lock(word));
  rma::flush_all();
}

}  // namespace
}  // namespace magpie
