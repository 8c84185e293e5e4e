// Stalling join by itself: every order in which the sides can meet, and what an
// arrival costs.

#include "impl/greedy_join/stalling_join.h"

#include <cstdint>

#include "common/fork_join/join_policy_suite.h"
#include "common/testing/costs.h"
#include "impl/greedy_join/local_collection.h"

namespace magpie::greedy_join {
namespace {

template <WaitOrder kOrder>
using Joins = StallingJoin<FakeThreads, LocalCollection, kOrder>;
using LookedAt = Joins<WaitOrder::kLookedAt>;
using InTurns = Joins<WaitOrder::kInTurns>;

MAGPIE_JOIN_POLICY_SUITE(LookedAt, LookedAt);
MAGPIE_JOIN_POLICY_SUITE(InTurns, InTurns);

// Suspends the calling test's thread at a join of a thread that still runs, and
// calls then() in its place; goes on with it afterwards.
template <typename Joins, typename Then>
void while_it_waits(join_suite::Meeting<Joins>& m, Then then) {
  m.threads().until_it_is_resumed = then;
  EXPECT_EQ(m.join(), 42u);
}

using Meeting = join_suite::Meeting<LookedAt>;

// On the entry's rank nothing costs an operation, whoever comes first.
// Elsewhere a thread that ends adds its flag, and one that joins gets state and
// result.
SPMD_TEST(StallingJoin, CostsWhereTheJoinedThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const uint64_t remote = m.remote();
    EXPECT_EQ(costs_of([&] { m.die(42); }),
              (Costs{.fetch_adds = remote, .puts_nb = 2 * remote}));
    EXPECT_EQ(costs_of([&] { m.join(); }),
              (Costs{.gets = 2 * remote, .fetch_adds_nb = remote}));
  }
}

// Each look is at one thread, and a get of its entry; one that is not ready
// waits on.
SPMD_TEST(StallingJoin, LooksAndDoesNotGoOnWithTheUnready) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const uint64_t remote = m.remote();
    auto& ready = JoinParts<FakeThreads, LookedAt>::here().joins;
    while_it_waits(m, [&] {
      FakeThreads::SavedThread saved;
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ready.waiting(), 1u);
        EXPECT_EQ(costs_of([&] { EXPECT_FALSE(ready.next(&saved)); }),
                  Costs{.gets = remote});
      }
      EXPECT_EQ(m.die(42), join_suite::Way::kExitedToConsumer);
      EXPECT_EQ(ready.waiting(), 0u);
    });
    EXPECT_EQ(m.stats().outstanding_joins, 1u);
  }
}

// A waiting thread says so by an operation that it does not wait for; it is
// flushed before the thread goes on.
SPMD_TEST(StallingJoin, CostsOfWaiting) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const uint64_t remote = m.remote();
    const rma::OpCounters before = rma::self().counters;
    while_it_waits(m, [&] {
      const rma::OpCounters waiting = rma::self().counters - before;
      EXPECT_EQ(waiting[rma::Op::kGet].operations, remote);
      EXPECT_EQ(waiting[rma::Op::kFetchAddNb].operations, 1u);
      EXPECT_EQ(waiting[rma::Op::kFlush].operations, 0u);
      EXPECT_EQ(waiting.operations(), remote + 1);
      m.die(42);
    });
    EXPECT_GE((rma::self().counters - before)[rma::Op::kFlush].operations, 1u);
  }
}

// In turns the rank goes on with the first waiter, ready or not, where an
// attempt to steal has failed; and at once where a thread has ended.
SPMD_TEST(StallingJoin, InTurnsAThreadLeavesForTheFirstWaiter) {
  if (rma::size() == 1) GTEST_SKIP() << "it would look for ever";
  join_suite::Meeting<InTurns> m(0);
  auto& ready = JoinParts<FakeThreads, InTurns>::here().joins;
  int turns = 0;
  while_it_waits(m, [&] {
    FakeThreads::SavedThread saved;
    EXPECT_EQ(ready.waiting(), 1u);
    if (++turns == 3) {
      EXPECT_EQ(m.die(42), join_suite::Way::kExitedToConsumer);
    } else {
      EXPECT_TRUE(ready.next(&saved));  // and it waits again
    }
  });
  EXPECT_EQ(turns, 3);
  EXPECT_EQ(m.stats().outstanding_joins, 1u);
}

// A discarded entry is freed by the rank that has discarded it, when it looks.
SPMD_TEST(StallingJoin, DiscardedEntriesAreLookedAfter) {
  for (const int hop : {0, 1}) {
    join_suite::Meeting<LookedAt> m(hop);
    auto& ready = JoinParts<FakeThreads, LookedAt>::here().joins;
    FakeThreads::SavedThread saved;
    m.discard();
    EXPECT_FALSE(ready.next(&saved));
    EXPECT_EQ(ready.waiting(), 1u);
    EXPECT_EQ(m.die(42), join_suite::Way::kExitedToScheduler);
    EXPECT_FALSE(ready.next(&saved));
    EXPECT_EQ(ready.waiting(), 0u);
  }
}

}  // namespace
}  // namespace magpie::greedy_join
