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

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/fork_join/join_policy.h"
#include "common/fork_join/join_suite_rank.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::join_suite {

// Use that a consumer makes of its future: before the thread ends, in between,
// or after.
enum class Use {
  kJoinsBefore,
  kDiscardsBefore,
  // The thread ends after it has looked, if it looks, and before it announces
  // itself.
  kJoinsMeanwhile,
  kJoinsAfter,
  kDiscardsAfter,
};

// A thread and its consumers, over an entry of the rank `hop` behind this one.
// All of them run on this rank: one that waits does so while the others follow.
template <typename Joins>
class SharedMeeting {
 public:
  // Collective.
  SharedMeeting(Rank<Joins>& rank, int hop, std::span<const Use> uses)
      : uses_(uses),
        rank_(rank),
        thread_(thread_from<Joins>(
            rank_, hop, type_for(static_cast<uint32_t>(uses.size())))),
        neighbour_{rank_.joins.create(kType)} {
    rank_.threads.ready.clear();
    rma::barrier();
  }

  // Collective. Every consumer gets the result, and the entry is free again.
  void run() {
    go_on(1);
    if (!has_ended_) end();
    EXPECT_EQ(waiting_, 0);
    EXPECT_EQ(neighbour_.die(42, /*parent_is_here=*/true), Way::kReturned);
    if (uses_.front() == Use::kDiscardsAfter)
      discard(neighbour_, 0);
    else
      join(neighbour_, 0);
    rank_.expect_nothing_left();
  }

 private:
  // The only consumer is 0; several are 1, 2, ...
  uint32_t number_of(uint32_t consumer) const {
    return uses_.size() == 1 ? 0 : consumer;
  }

  // Runs the consumers from this one on: first those that come before the end.
  void go_on(uint32_t consumer) {
    if (consumer > uses_.size()) return after();
    const Use use = uses_[consumer - 1];
    if (use == Use::kJoinsBefore || use == Use::kJoinsMeanwhile)
      return wait(consumer, use == Use::kJoinsMeanwhile);
    if (use == Use::kDiscardsBefore) discard(thread_, number_of(consumer));
    go_on(consumer + 1);
  }
  // Joins for the consumer; the next ones come while it waits.
  void wait(uint32_t consumer, bool ends_meanwhile) {
    bool has_waited = false;
    rank_.threads.before_it_announces_itself = [&] {
      rank_.threads.before_it_announces_itself = {};
      if (ends_meanwhile && !has_ended_) end();
    };
    rank_.threads.until_it_is_resumed = [&] {
      has_waited = true;
      ++waiting_;
      go_on(consumer + 1);
      if (!has_ended_) end();
      EXPECT_TRUE(is_resumed());
      --waiting_;
    };
    join(thread_, number_of(consumer));
    rank_.threads.before_it_announces_itself = {};
    if (!has_waited) go_on(consumer + 1);
  }
  void after() {
    if (!has_ended_) end();
    for (uint32_t consumer = 1; consumer <= uses_.size(); ++consumer) {
      const Use use = uses_[consumer - 1];
      if (use == Use::kJoinsAfter) join(thread_, number_of(consumer));
      if (use == Use::kDiscardsAfter) discard(thread_, number_of(consumer));
    }
  }

  static void join(const Thread<Joins>& thread, uint32_t number) {
    uint64_t result = 0;
    Joins::join(thread.handle, number, &result, sizeof(result));
    EXPECT_EQ(result, 42u);
  }
  static void discard(const Thread<Joins>& thread, uint32_t number) {
    Joins::discard(thread.handle, number, sizeof(uint64_t));
  }
  void end() {
    has_ended_ = true;
    const Way way = thread_.die(42, false);
    EXPECT_TRUE(way == Way::kExitedToScheduler ||
                way == Way::kExitedToConsumer);
    if (way == Way::kExitedToConsumer) ++resumed_;
    resumed_ += static_cast<int>(rank_.threads.ready.size());
    // All go on, or none, or one where the others wait until the rank looks.
    auto& ready = rank_.joins;
    EXPECT_TRUE(resumed_ == 0 || resumed_ == waiting_ ||
                (resumed_ == 1 && ready.waiting() > 0))
        << resumed_;
  }
  // Whether one that waits goes on: the thread that has ended made it ready, or
  // its rank finds it so.
  bool is_resumed() {
    if (resumed_ > 0) return resumed_-- > 0;
    auto& ready = rank_.joins;
    FakeThreads::SavedThread saved;
    const bool is_ready = next_of(ready, ready.waiting() + 1, &saved);
    EXPECT_TRUE(!is_ready || saved.frames == FakeThreads::kFrames);
    return is_ready;
  }

  const std::span<const Use> uses_;
  Rank<Joins>& rank_;
  Thread<Joins> thread_;
  // A thread whose entry may lie behind that one's, and shows what is written
  // beyond its end. Its parent is not stolen.
  const Thread<Joins> neighbour_;
  bool has_ended_ = false;
  int waiting_ = 0;
  int resumed_ = 0;
};

// ------------------------------------------------------------------- the cases

// All that one, two and three consumers can do; one also with both ranks'
// entries.
template <typename Joins>
void every_order() {
  constexpr int kUses = 5;
  Rank<Joins> rank;
  int scripts = 2;
  for (const size_t consumers : {1, 2, 3}) {
    scripts = consumers == 2 ? kUses * kUses : scripts * kUses;
    for (int script = 0; script < scripts; ++script) {
      std::array<Use, 3> uses;
      for (int i = 0, rest = script; i < 3; ++i, rest /= kUses)
        uses[static_cast<size_t>(i)] = static_cast<Use>(rest % kUses);
      rank.threads.has_fast_path = script % 3 != 0;
      SharedMeeting<Joins>(rank, script % 2, {uses.data(), consumers}).run();
    }
  }
}

// As many consumers as there can be, all of which wait.
template <typename Joins>
void most_consumers() {
  const std::vector<Use> uses(TypeInfo::kMostConsumers, Use::kJoinsBefore);
  Rank<Joins> rank;
  for (const int hop : {0, 1}) SharedMeeting<Joins>(rank, hop, uses).run();
}

// The thread and its consumer come at once, each from a rank of its own, over
// an entry of the first: exactly one of them goes on with the join, and it
// finds the result.
template <typename Joins>
void two_ranks_race() {
  const auto here = rma::allocate<rma::Word>();
  const auto resumed = rma::allocate<rma::Word>();
  const auto box = rma::allocate<Handle>();
  Rank<Joins> rank;
  uint64_t suspended = 0;
  rank.threads.until_it_is_resumed = [&] {
    ++suspended;
    auto& ready = rank.joins;
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
    if (rma::rank() == 0) *box.local() = rank.joins.create(kType);
    rma::barrier();
    const Thread<Joins> thread = {rma::get(box.at(0))};
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
  SPMD_CASE(Name, EveryOrder, join_suite::every_order<__VA_ARGS__>())       \
  SPMD_CASE(Name, MostConsumers, join_suite::most_consumers<__VA_ARGS__>()) \
  SPMD_CASE(Name, TwoRanksRace, join_suite::two_ranks_race<__VA_ARGS__>())  \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_
