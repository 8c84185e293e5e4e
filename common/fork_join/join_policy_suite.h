// The suite of the concept JoinPolicy: every order in which a thread that ends
// and its consumer can arrive, and what each side then does. A way to join over
// FakeThreads is tested by naming it:
//
//   using MyJoin = my::Join<FakeThreads, AskingHeap>;
//   MAGPIE_JOIN_POLICY_SUITE(MyJoin, MyJoin);
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. What
// an arrival costs is for a test of the policy's own, over a Meeting.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_
#define MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/fork_join/fake_threads.h"
#include "common/fork_join/join_policy.h"
#include "common/fork_join/join_suite_rank.h"
#include "common/fork_join/join_suite_shared.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::join_suite {

// One join between two threads that both run on this rank, over an entry of
// the rank `hop` behind this one, where the joined one was created.
template <typename Joins>
class Meeting {
 public:
  // Collective.
  explicit Meeting(int hop) : thread_(thread_from(rank_, hop, kType)) {
    rma::barrier();
    before_ = rma::self().counters;
  }
  // Collective. All entries are free again.
  ~Meeting() { rank_.expect_nothing_left(); }

  // Ends the thread. A waiting consumer goes on by it, or when the rank looks.
  Way die(uint64_t result, bool parent_is_here = false) {
    const Way way = thread_.die(result, parent_is_here);
    return way == Way::kExitedToScheduler && is_ready() ? Way::kExitedToConsumer
                                                        : way;
  }
  // Whether the rank goes on with the consumer now.
  bool is_ready() {
    auto&& ready = rank_.joins.ready();
    FakeThreads::SavedThread saved;
    const bool is_ready = next_of(ready, 2, &saved);
    EXPECT_EQ(saved.frames, is_ready ? FakeThreads::kFrames
                                     : FakeThreads::SavedThread{}.frames);
    return is_ready;
  }
  Way join() {
    return Thread<Joins>::way_of([&] {
      uint64_t result = 0;
      Joins::join(thread_.handle, 0, &result, sizeof(result));
      result_ = result;
    });
  }
  Way discard() {
    return Thread<Joins>::way_of(
        [&] { Joins::discard(thread_.handle, 0, sizeof(uint64_t)); });
  }

  FakeThreads& threads() { return rank_.threads; }
  const SchedulerStats& stats() const { return rank_.joins.stats(); }
  OwnCounts own_counts() const { return own_counts_of(rank_.joins); }
  std::optional<uint64_t> result() const { return result_; }
  bool remote() const {
    return entry_of<std::byte>(thread_.handle).rank != rma::rank();
  }

  // Operations since the meeting began, or the last call.
  rma::OpCounters operations() {
    const rma::OpCounters done = rma::self().counters - before_;
    before_ = rma::self().counters;
    return done;
  }

 private:
  Rank<Joins> rank_;
  Thread<Joins> thread_;
  rma::OpCounters before_;
  std::optional<uint64_t> result_;
};

// ------------------------------------------------------------------- the cases

// The parent was not stolen.
template <typename Joins>
void nothing_was_stolen() {
  for (const int i : {0, 1, 2, 3}) {
    const bool discards = i % 2 == 1;
    Meeting<Joins> m(0);
    m.threads().has_fast_path = i < 2;
    EXPECT_EQ(m.die(42, /*parent_is_here=*/true), Way::kReturned);
    EXPECT_EQ(discards ? m.discard() : m.join(), Way::kReturned);
    EXPECT_EQ(m.result().value_or(42), 42u);
    EXPECT_EQ(m.stats().spawns, 1u);
    EXPECT_EQ(m.stats().deaths, 1u);
  }
}

// The thread and its consumer come at once, each from a rank of its own, over
// an entry of the first: exactly one of them goes on with the join, and it
// finds the result.
template <typename Joins>
void two_ranks_race() {
  const auto here = rma::allocate<rma::Word>();
  const auto resumed = rma::allocate<rma::Word>();
  const auto box = Thread<Joins>::box();
  Rank<Joins> rank;
  uint64_t suspended = 0;
  rank.threads.until_it_is_resumed = [&] {
    ++suspended;
    auto&& ready = rank.joins.ready();
    FakeThreads::SavedThread saved;
    for (; resumed.local()->load() < suspended; rma::idle()) {
      if (!ready.next(&saved)) {
        EXPECT_FALSE(saved.frames)
            << "no thread is ready, but one is handed on";
        continue;
      }
      --suspended;  // by its own rank
      return;
    }
  };
  for (uint64_t i = 0; i < spmd::rounds(2000, 200); ++i) {
    if (rma::rank() == 0) Thread<Joins>{rank.joins.create(kType)}.put_into(box);
    rma::barrier();
    Thread<Joins> thread = Thread<Joins>::moved_from(box.at(0));
    // A closer start than a barrier gives.
    if (rma::rank() < 2 && rma::size() > 1) {
      rma::fetch_add(here.at(0), 1);
      while (rma::get_word(here.at(0)) < 2 * (i + 1)) rma::idle();
    }
    if (rma::rank() == 0 &&
        thread.die(3 * i + 1, rma::size() == 1) == Way::kExitedToConsumer) {
      rma::fetch_add(resumed.at(1), 1);
    }
    if (rma::rank() == 1 || rma::size() == 1) {
      uint64_t result = 0;
      Joins::join(thread.handle, 0, &result, sizeof(result));
      EXPECT_EQ(result, 3 * i + 1);
    }
    rma::flush_all();
    rma::barrier();
  }
  EXPECT_EQ(rank.joins.live_entries(), 0u);
  rma::barrier();
}

}  // namespace magpie::join_suite

// Takes the cases' name and the class.
#define MAGPIE_JOIN_POLICY_SUITE(Name, ...)                                 \
  static_assert(::magpie::JoinPolicy<__VA_ARGS__>);                         \
  SPMD_CASE(Name, NothingWasStolen,                                         \
            join_suite::nothing_was_stolen<__VA_ARGS__>())                  \
  SPMD_CASE(Name, EveryOrder, join_suite::every_order<__VA_ARGS__>())       \
  SPMD_CASE(Name, MostConsumers, join_suite::most_consumers<__VA_ARGS__>()) \
  SPMD_CASE(Name, TwoRanksRace, join_suite::two_ranks_race<__VA_ARGS__>())  \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_
