// Greedy join meets the concept, and what each arrival costs. The entry lies on
// this rank, and on the next one.

#include "impl/greedy_join/greedy_join.h"

#include <cstdint>
#include <vector>

#include "common/fork_join/join_policy_suite.h"
#include "impl/greedy_join/local_collection.h"

namespace magpie::greedy_join {
namespace {

using join_suite::Way;
using rma::Op;

using Joins = GreedyJoin<FakeThreads, LocalCollection>;
using Meeting = join_suite::Meeting<Joins>;
using Rank = join_suite::Rank<Joins>;

void expect_operations(const rma::OpCounters& done, uint64_t gets,
                       uint64_t puts, uint64_t fetch_adds, uint64_t marks) {
  EXPECT_EQ(done[Op::kGet].operations, gets);
  EXPECT_EQ(done[Op::kPut].operations, puts);
  EXPECT_EQ(done[Op::kFetchAdd].operations, fetch_adds);
  EXPECT_EQ(done[Op::kFetchAddNb].operations, marks);
  EXPECT_EQ(done.operations(), gets + puts + fetch_adds + marks);
}

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

// Entries start so whatever lay in their memory before.
SPMD_TEST(GreedyJoin, NewEntriesStartAsNotDone) {
  Rank rank;
  for (int round = 0; round < 3; ++round) {
    std::vector<join_suite::Thread<Joins>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back({rank.joins.create(join_suite::kType)});
      const auto entry = entry_of<Joins::Entry>(threads.back().handle);
      EXPECT_EQ(entry.local()->state.load(),
                new_state(rank.joins.stats().spawns));
    }
    for (auto& thread : threads) {
      thread.die(~uint64_t{0}, /*parent_is_here=*/true);
      Joins::discard(thread.handle, 0, sizeof(uint64_t));
    }
  }
  EXPECT_EQ(rank.joins.live_entries(), 0u);
  EXPECT_EQ(rank.joins.stats().spawns, 9u);
}

SPMD_TEST(GreedyJoin, FastPathCommunicatesNothing) {
  for (const bool discards : {false, true}) {
    Meeting m(0);
    m.die(42, /*parent_is_here=*/true);
    discards ? m.discard() : m.join();
    expect_operations(m.operations(), 0, 0, 0, 0);
  }
}

SPMD_TEST(GreedyJoin, CostsWhereTheJoinedThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const bool remote = m.remote();
    m.die(42);
    expect_operations(m.operations(), 0, remote, 1, 0);
    m.join();
    expect_operations(m.operations(), remote ? 2 : 0, 0, 0, remote);
    expect_losers(m, 0, 0);
  }
}

SPMD_TEST(GreedyJoin, CostsWhereTheJoiningThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const bool remote = m.remote();
    m.threads().until_it_is_resumed = [&] {
      expect_operations(m.operations(), remote, 1, 1, 0);
      m.die(42);
      expect_operations(m.operations(), 1, remote, 1, 0);
      expect_losers(m, 0, 1);
    };
    m.join();
    expect_operations(m.operations(), remote, 0, 0, remote);
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

SPMD_TEST(GreedyJoin, CostsOfADiscardAfterTheEnd) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    m.die(42);
    m.operations();
    m.discard();
    expect_operations(m.operations(), m.remote(), 0, 0, m.remote());
  }
}

SPMD_TEST(GreedyJoin, CostsOfADiscardBeforeTheEnd) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    m.discard();
    expect_operations(m.operations(), m.remote(), 1, 1, 0);
    m.die(42);
    expect_operations(m.operations(), 1, m.remote(), 1, m.remote());
    expect_losers(m, 0, 0);
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
      const rma::OpCounters before = rma::self().counters;
      uint64_t result = 0;
      if (consumer != 1)
        Joins::join(thread.handle, consumer, &result, sizeof(result));
      else
        Joins::discard(thread.handle, consumer, sizeof(result));
      expect_operations(rma::self().counters - before,
                        consumer != 1 ? 2 * remote : remote, 0, 1,
                        consumer == 3 ? remote : 0);
      EXPECT_EQ(result, consumer != 1 ? 42u : 0u);
    }
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(rank.joins.live_entries(), 0u);
    rma::barrier();
  }
}

MAGPIE_JOIN_POLICY_SUITE(GreedyJoin, Joins);

}  // namespace
}  // namespace magpie::greedy_join
