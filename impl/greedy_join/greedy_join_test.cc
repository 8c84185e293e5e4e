// Greedy join meets the concept, and what each arrival costs. The entry lies on
// this rank, and on the next one.

#include "impl/greedy_join/greedy_join.h"

#include <cstdint>

#include "common/fork_join/join_policy_suite.h"
#include "common/testing/costs.h"
#include "impl/greedy_join/local_collection.h"

namespace magpie::greedy_join {
namespace {

using join_suite::Way;

using Joins = GreedyJoin<FakeThreads, LocalCollection>;
using Meeting = join_suite::Meeting<Joins>;
using Rank = join_suite::Rank<Joins>;

// Expects numbers of joining and joined threads that have lost a race, as
// reports name them.
void expect_losers(const Meeting& m, uint64_t joining, uint64_t joined) {
  const OwnCounts counts = m.own_counts();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_STREQ(counts[0].name, "join_losers");
  EXPECT_EQ(counts[0].value, joining);
  EXPECT_STREQ(counts[1].name, "die_losers");
  EXPECT_EQ(counts[1].value, joined);
  EXPECT_STREQ(counts[2].name, "die_losers_ns");
}

SPMD_TEST(GreedyJoin, FastPathCommunicatesNothing) {
  for (const bool discards : {false, true}) {
    Meeting m(0);
    EXPECT_EQ(costs_of([&] {
                m.die(42, /*parent_is_here=*/true);
                if (discards) return m.discard();
                m.join();
              }),
              Costs{});
  }
}

SPMD_TEST(GreedyJoin, CostsWhereTheJoinedThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const uint64_t remote = m.remote();
    EXPECT_EQ(costs_of([&] { m.die(42); }),
              (Costs{.puts = remote, .fetch_adds = 1}));
    EXPECT_EQ(costs_of([&] { m.join(); }),
              (Costs{.gets = 2 * remote, .fetch_adds_nb = remote}));
    expect_losers(m, 0, 0);
  }
}

// The outer costs are those of both threads: the joined one ends while the
// joining one waits. The latter's are a get of the state, a put and a
// fetch_add; then a get of the result and a mark.
SPMD_TEST(GreedyJoin, CostsWhereTheJoiningThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const uint64_t remote = m.remote();
    m.threads().until_it_is_resumed = [&] {
      EXPECT_EQ(costs_of([&] { m.die(42); }),
                (Costs{.gets = 1, .puts = remote, .fetch_adds = 1}));
      expect_losers(m, 0, 1);
    };
    EXPECT_EQ(costs_of([&] { m.join(); }), (Costs{.gets = 1 + 2 * remote,
                                                  .puts = 1 + remote,
                                                  .fetch_adds = 2,
                                                  .fetch_adds_nb = remote}));
    expect_losers(m, 0, 1);
  }
}

SPMD_TEST(GreedyJoin, LosersAreCounted) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    m.threads().before_it_announces_itself = [&] { m.die(42); };
    m.join();
    expect_losers(m, 1, 0);
  }
}

SPMD_TEST(GreedyJoin, CostsOfADiscard) {
  for (const int hop : {0, 1}) {
    Meeting after(hop);
    const uint64_t remote = after.remote();
    after.die(42);
    EXPECT_EQ(costs_of([&] { after.discard(); }),
              (Costs{.gets = remote, .fetch_adds_nb = remote}));
  }
  for (const int hop : {0, 1}) {
    Meeting before(hop);
    const uint64_t remote = before.remote();
    EXPECT_EQ(costs_of([&] { before.discard(); }),
              (Costs{.gets = remote, .puts = 1, .fetch_adds = 1}));
    EXPECT_EQ(costs_of([&] { before.die(42); }),
              (Costs{.gets = 1,
                     .puts = remote,
                     .fetch_adds = 1,
                     .fetch_adds_nb = remote}));
    expect_losers(before, 0, 0);
  }
}

// Each consumer says when it is through with the entry, and the last one frees
// it.
SPMD_TEST(GreedyJoin, CostsOfSeveralConsumers) {
  Rank rank;
  for (const int hop : {0, 1}) {
    auto thread =
        join_suite::thread_from<Joins>(rank, hop, join_suite::type_for(3));
    const uint64_t remote =
        entry_of<std::byte>(thread.handle).rank != rma::rank();
    EXPECT_EQ(thread.die(42, false), Way::kExitedToScheduler);
    for (const uint32_t consumer : {2, 1, 3}) {
      const bool joins = consumer != 1;
      uint64_t result = 0;
      EXPECT_EQ(costs_of([&] {
                  if (joins)
                    Joins::join(thread.handle, consumer, &result,
                                sizeof(result));
                  else
                    Joins::discard(thread.handle, consumer, sizeof(result));
                }),
                (Costs{.gets = joins ? 2 * remote : remote,
                       .fetch_adds = 1,
                       .fetch_adds_nb = consumer == 3 ? remote : 0}));
      EXPECT_EQ(result, joins ? 42u : 0u);
    }
    rank.expect_nothing_left();
  }
}

MAGPIE_JOIN_POLICY_SUITE(GreedyJoin, Joins);

}  // namespace
}  // namespace magpie::greedy_join
