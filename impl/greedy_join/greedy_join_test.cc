// Greedy join against a fake thread layer: every order in which a joined thread
// and its consumer can arrive, what each side then does, and what it costs.
// The entry lies on this rank, and on the next one.

#include "impl/greedy_join/greedy_join.h"

#include <array>
#include <optional>

#include "common/testing/spmd.h"
#include "impl/greedy_join/fake_threads.h"
#include "impl/greedy_join/local_collection.h"

namespace magpie::greedy_join {
namespace {

using rma::Op;

// One rank.
struct Rank {
  Rank() : joins({.bytes = 64 << 10, .what = "memory", .flag = "--flag"}) {
    rma::self().local = this;
  }
  static Rank& self() { return *static_cast<Rank*>(rma::self().local); }

  FakeThreads threads{FakeThreads::Options{}};
  GreedyJoin<Rank, FakeThreads, LocalCollection> joins;
};
using Joins = decltype(Rank::joins);
using Entry = Joins::Entry;
using EntryPtr = Joins::EntryPtr;

void no_invoke(const void*, void*) {}
constexpr TypeInfo kType = {no_invoke,         8, 8,   sizeof(uint64_t),
                            alignof(uint64_t), 1, true};

Handle handle_of(Entry* entry, int rank = rma::rank()) {
  return make_handle(rma::heap_ptr(entry).at(rank), entry->state.own_value());
}

// What a call left for, instead of returning.
enum class Way { kReturned, kSuspended, kLeftEmptyRegion, kLeftForJoiner };

// One join between two threads that both run on this rank, over an entry of
// the rank `hop` behind this one.
class Meeting {
 public:
  // Collective.
  explicit Meeting(int hop) {
    rma::barrier();
    own_ = rank_.joins.new_entry(kType);
    thread_ = handle_of(own_, (rma::rank() + hop) % rma::size());
    rma::barrier();
    before_ = rma::self().counters;
  }
  // Collective. All entries are free again.
  ~Meeting() {
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(rank_.joins.live_entries(), 0u);
    rma::barrier();
  }

  Way die(uint64_t result, bool parent_here = false) {
    rank_.threads.parent_here = parent_here;
    return way_of([&] {
      Joins::die(rank_, own_, entry(), &result, sizeof(result), nullptr);
    });
  }
  Way join() {
    return way_of([&] {
      uint64_t result = 0;
      Joins::join(thread_, &result, sizeof(result));
      result_ = result;
    });
  }
  // The joining thread goes on after where it was suspended (Fig. 4, lines
  // 51-53).
  Way resume_join() {
    return way_of([&] {
      uint64_t result = 0;
      Joins::take_result(entry(), &result, sizeof(result));
      result_ = result;
    });
  }
  Way discard() {
    return way_of([&] { Joins::discard(thread_); });
  }

  FakeThreads& threads() { return rank_.threads; }
  const SchedulerStats& stats() const { return rank_.joins.stats(); }
  std::optional<uint64_t> result() const { return result_; }
  bool remote() const { return entry().rank != rma::rank(); }

  // Operations since the meeting began, or the last call.
  rma::OpCounters operations() {
    const rma::OpCounters done = rma::self().counters - before_;
    before_ = rma::self().counters;
    return done;
  }

 private:
  EntryPtr entry() const { return entry_of<Entry>(thread_); }

  template <typename Call>
  static Way way_of(Call call) {
    try {
      call();
    } catch (const Suspended&) {
      return Way::kSuspended;
    } catch (const LeftEmptyRegion&) {
      return Way::kLeftEmptyRegion;
    } catch (const LeftFor& left) {
      EXPECT_EQ(left.frames, FakeThreads::kFrames);
      return Way::kLeftForJoiner;
    }
    return Way::kReturned;
  }

  Rank rank_;
  // Which the next rank uses, and which this one uses.
  Entry* own_;
  Handle thread_;
  rma::OpCounters before_;
  std::optional<uint64_t> result_;
};

void expect_operations(const rma::OpCounters& done, uint64_t gets,
                       uint64_t puts, uint64_t fetch_adds, uint64_t marks) {
  EXPECT_EQ(done[Op::kGet].operations, gets);
  EXPECT_EQ(done[Op::kPut].operations, puts);
  EXPECT_EQ(done[Op::kFetchAdd].operations, fetch_adds);
  EXPECT_EQ(done[Op::kFetchAddNb].operations, marks);
  EXPECT_EQ(done.operations(), gets + puts + fetch_adds + marks);
}

// Ends and discards a thread that nobody stole anything from.
void use_up(Rank& rank, Entry* entry) {
  const uint64_t result = ~uint64_t{0};
  const Handle thread = handle_of(entry);
  rank.threads.parent_here = true;
  Joins::die(rank, entry, rma::heap_ptr(entry), &result, sizeof(result),
             nullptr);
  Joins::discard(thread);
}

// Whatever lay in their memory before.
SPMD_TEST(GreedyJoin, NewEntriesStartAsNotDone) {
  Rank rank;
  std::array<Entry*, 3> entries;
  for (int round = 0; round < 3; ++round) {
    for (Entry*& entry : entries) {
      entry = rank.joins.new_entry(kType);
      EXPECT_EQ(entry->state.load(), new_state(rank.joins.stats().spawns));
    }
    for (Entry* entry : entries) use_up(rank, entry);
  }
  EXPECT_EQ(rank.joins.live_entries(), 0u);
  EXPECT_EQ(rank.joins.stats().spawns, 9u);
  rma::barrier();
}

SPMD_TEST(GreedyJoin, FastPathCommunicatesNothing) {
  Meeting m(0);
  EXPECT_EQ(m.die(42, /*parent_here=*/true), Way::kReturned);
  EXPECT_EQ(m.join(), Way::kReturned);
  EXPECT_EQ(m.result(), 42u);
  expect_operations(m.operations(), 0, 0, 0, 0);
  EXPECT_EQ(m.stats().deaths, 1u);
}

SPMD_TEST(GreedyJoin, DiscardOnTheFastPathCommunicatesNothing) {
  Meeting m(0);
  EXPECT_EQ(m.die(0, /*parent_here=*/true), Way::kReturned);
  EXPECT_EQ(m.discard(), Way::kReturned);
  expect_operations(m.operations(), 0, 0, 0, 0);
}

SPMD_TEST(GreedyJoin, JoinedThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const bool remote = m.remote();
    EXPECT_EQ(m.die(42), Way::kLeftEmptyRegion);
    expect_operations(m.operations(), 0, remote, 1, 0);
    EXPECT_EQ(m.join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
    expect_operations(m.operations(), remote ? 2 : 0, 0, 0, remote);
    EXPECT_EQ(m.stats().join_losers + m.stats().die_losers, 0u);
  }
}

SPMD_TEST(GreedyJoin, JoiningThreadArrivesFirst) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    const bool remote = m.remote();
    EXPECT_EQ(m.join(), Way::kSuspended);
    expect_operations(m.operations(), remote, 1, 1, 0);
    EXPECT_EQ(m.die(42), Way::kLeftForJoiner);
    expect_operations(m.operations(), 1, remote, 1, 0);
    EXPECT_EQ(m.stats().die_losers, 1u);
    EXPECT_EQ(m.resume_join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
    EXPECT_EQ(m.stats().join_losers, 0u);
  }
}

// The joined thread ends after the other has looked, and before it announces
// itself.
SPMD_TEST(GreedyJoin, JoiningThreadLosesTheRace) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    m.threads().before_it_announces_itself = [&] {
      EXPECT_EQ(m.die(42), Way::kLeftEmptyRegion);
    };
    EXPECT_EQ(m.join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
    EXPECT_EQ(m.stats().join_losers, 1u);
    EXPECT_EQ(m.stats().die_losers, 0u);
  }
}

SPMD_TEST(GreedyJoin, DiscardedAfterTheEnd) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    EXPECT_EQ(m.die(42), Way::kLeftEmptyRegion);
    m.operations();
    EXPECT_EQ(m.discard(), Way::kReturned);
    expect_operations(m.operations(), m.remote(), 0, 0, m.remote());
  }
}

// Then the one that ends frees the entry, and nobody is resumed.
SPMD_TEST(GreedyJoin, DiscardedBeforeTheEnd) {
  for (const int hop : {0, 1}) {
    Meeting m(hop);
    EXPECT_EQ(m.discard(), Way::kReturned);
    expect_operations(m.operations(), m.remote(), 1, 1, 0);
    EXPECT_EQ(m.die(42), Way::kLeftEmptyRegion);
    expect_operations(m.operations(), 1, m.remote(), 1, m.remote());
    EXPECT_EQ(m.stats().die_losers, 0u);
  }
}

// Both come at once, each from a rank of its own, over an entry of the first:
// exactly one of them goes on with the join, and it finds the result.
SPMD_TEST(GreedyJoin, TwoRanksRace) {
  const uint64_t rounds = spmd::rounds(2000, 200);
  const auto meeting = rma::allocate<rma::Word>();
  const auto resumed = rma::allocate<rma::Word>();
  Rank rank;
  for (uint64_t i = 0; i < rounds; ++i) {
    Entry* const own = rank.joins.new_entry(kType);
    // Where an entry is used again depends on who freed it.
    Handle thread = handle_of(own);
    rma::broadcast(&thread, sizeof(thread), 0);
    const EntryPtr entry = entry_of<Entry>(thread);
    const uint64_t result = i * 3 + 1;
    uint64_t joined = 0;
    const auto went_on = [&] {
      EXPECT_EQ(joined, result);
      rma::fetch_add(resumed.at(0), 1);
    };
    rma::barrier();
    try {
      // A closer start than a barrier gives.
      if (rma::rank() < 2 && rma::size() > 1) {
        rma::fetch_add(meeting.at(0), 1);
        while (rma::get_word(meeting.at(0)) < 2 * (i + 1)) rma::idle();
      }
      if (rma::rank() == 0) {
        rank.threads.parent_here = rma::size() == 1;
        Joins::die(rank, own, entry, &result, sizeof(result), nullptr);
      }
      if (rma::rank() == 1 || rma::size() == 1) {
        Joins::join(thread, &joined, sizeof(joined));
        went_on();
      }
    } catch (const Suspended&) {
    } catch (const LeftEmptyRegion&) {
    } catch (const LeftFor& left) {
      EXPECT_EQ(left.frames, FakeThreads::kFrames);
      Joins::take_result(entry, &joined, sizeof(joined));
      went_on();
    }
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(rma::get_word(resumed.at(0)), i + 1);
    if (rma::rank() != 0) use_up(rank, own);
    rma::barrier();
  }
  EXPECT_EQ(rank.joins.live_entries(), 0u);
  rma::barrier();
}

}  // namespace
}  // namespace magpie::greedy_join

SPMD_MAIN({.region_bytes = 1 << 20, .heap_bytes = 2 << 20});
