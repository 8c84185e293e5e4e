// The suite of the concept JoinPolicy: every order in which a thread that ends
// and its consumer can arrive, and what each side then does. A way to join over
// FakeThreads is tested by naming it:
//
//   using MyJoin = my::Join<FakeThreads, AskingHeap>;
//   MAGPIE_JOIN_POLICY_SUITE(MyJoin, MyJoin);
//   SPMD_MAIN({.region_bytes = 1 << 20, .heap_bytes = 2 << 20});
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. What
// an arrival costs is for a test of the policy's own, over a Meeting.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_
#define MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/fork_join/fake_threads.h"
#include "common/fork_join/join_policy.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::join_suite {

inline void no_invoke(const void*, void*) {}
inline constexpr TypeInfo kType = {no_invoke,         8, 8,   sizeof(uint64_t),
                                   alignof(uint64_t), 1, true};
// The same with several consumers.
constexpr TypeInfo type_for(uint32_t consumers) {
  TypeInfo type = kType;
  type.consumers = consumers;
  type.is_small = false;
  return type;
}
inline constexpr HeapOptions kMemory = {
    .bytes = 64 << 10, .what = "memory", .flag = "--flag"};

// How a call ends: it returns, or leaves the caller's execution for good.
enum class Way { kReturned, kSuspended, kExitedToScheduler, kExitedToConsumer };

// One rank.
template <typename Joins>
struct Rank : JoinParts<FakeThreads, Joins> {
  Rank() : JoinParts<FakeThreads, Joins>{FakeThreads({}, 0), Joins(kMemory)} {
    rma::self().local = static_cast<JoinParts<FakeThreads, Joins>*>(this);
  }
};

// A thread that runs, and its handle, as they travel between ranks.
template <typename Joins>
struct Thread {
  static_assert(std::is_trivially_copyable_v<typename Joins::Running>);

  explicit Thread(typename Joins::Running created)
      : running(created), handle(created.handle()) {}

  // What thread `there` becomes when it moves to the calling rank.
  static Thread moved_from(rma::RemotePtr<std::byte> there) {
    alignas(Thread) std::byte bytes[sizeof(Thread)];
    rma::get(bytes, there, sizeof(Thread));
    return *reinterpret_cast<Thread*>(bytes);
  }
  static rma::RemotePtr<std::byte> box() {
    return rma::allocate_bytes(sizeof(Thread), 16);
  }
  void put_into(rma::RemotePtr<std::byte> box) const {
    rma::put(box, this, sizeof(Thread));
    rma::flush(box.rank);
  }

  // It ends.
  Way die(uint64_t result, bool parent_is_here) {
    return way_of([&] {
      const bool is_home = running.put_result(&result, sizeof(result));
      if (parent_is_here && is_home) return running.return_to_parent();
      running.leave(sizeof(result));
    });
  }

  template <typename Call>
  static Way way_of(Call call) {
    try {
      call();
    } catch (const Suspended&) {
      return Way::kSuspended;
    } catch (const ExitedToScheduler&) {
      return Way::kExitedToScheduler;
    } catch (const ExitedTo& exited) {
      EXPECT_EQ(exited.frames, FakeThreads::kFrames);
      return Way::kExitedToConsumer;
    }
    return Way::kReturned;
  }

  typename Joins::Running running;
  Handle handle;
};

// A new thread, with its entry on the rank `hop` behind this one, where it was
// created. Collective.
template <typename Joins>
Thread<Joins> thread_from(Rank<Joins>& rank, int hop, const TypeInfo& type) {
  const rma::RemotePtr<std::byte> box = Thread<Joins>::box();
  rma::barrier();
  Thread<Joins>(rank.joins.create(type)).put_into(box);
  rma::barrier();
  return Thread<Joins>::moved_from(box.at((rma::rank() + hop) % rma::size()));
}

// What a consumer of several does: before the thread ends, in between, or
// after.
enum class Use {
  kJoinsBefore,
  kDiscardsBefore,
  // The thread ends after it has looked, if it looks, and before it announces
  // itself.
  kJoinsMeanwhile,
  kJoinsAfter,
  kDiscardsAfter,
};

// A thread with several consumers, over an entry of the rank `hop` behind this
// one. All of them run on this rank: who waits does so while the others follow.
template <typename Joins>
class SharedMeeting {
 public:
  // Collective.
  SharedMeeting(Rank<Joins>& rank, int hop, std::span<const Use> uses)
      : uses_(uses),
        rank_(rank),
        thread_(thread_from<Joins>(
            rank_, hop, type_for(static_cast<uint32_t>(uses.size())))) {
    rank_.threads.ready.clear();
    rma::barrier();
  }

  // Collective. Every consumer gets the result, and the entry is free again.
  void run() {
    go_on(1);
    if (!has_ended_) end();
    EXPECT_EQ(waiting_, 0);
    auto&& ready = ready_threads(rank_.joins);
    FakeThreads::SavedThread saved;
    while (ready.waiting() > 0) EXPECT_FALSE(ready.next(&saved));
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(rank_.joins.live_entries(), 0u);
    rma::barrier();
  }

 private:
  static bool is_after(Use use) {
    return use == Use::kJoinsAfter || use == Use::kDiscardsAfter;
  }

  // The consumers from this one on: first those that come before the end.
  void go_on(uint32_t consumer) {
    if (consumer > uses_.size()) return after();
    const Use use = uses_[consumer - 1];
    if (use == Use::kJoinsBefore || use == Use::kJoinsMeanwhile)
      return wait(consumer, use == Use::kJoinsMeanwhile);
    if (use == Use::kDiscardsBefore) discard(consumer);
    go_on(consumer + 1);
  }
  // What comes in the place of the consumer as long as it waits.
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
    join(consumer);
    rank_.threads.before_it_announces_itself = {};
    if (!has_waited) go_on(consumer + 1);
  }
  void after() {
    if (!has_ended_) end();
    for (uint32_t consumer = 1; consumer <= uses_.size(); ++consumer) {
      if (uses_[consumer - 1] == Use::kJoinsAfter) join(consumer);
      if (uses_[consumer - 1] == Use::kDiscardsAfter) discard(consumer);
    }
  }

  void join(uint32_t consumer) {
    uint64_t result = 0;
    const Way way = Thread<Joins>::way_of([&] {
      Joins::join(thread_.handle, consumer, &result, sizeof(result));
    });
    EXPECT_EQ(way, Way::kReturned);
    EXPECT_EQ(result, 42u);
  }
  void discard(uint32_t consumer) {
    EXPECT_EQ(Thread<Joins>::way_of([&] {
                Joins::discard(thread_.handle, consumer, sizeof(uint64_t));
              }),
              Way::kReturned);
  }
  void end() {
    has_ended_ = true;
    const Way way = thread_.die(42, false);
    if (way == Way::kExitedToConsumer) ++resumed_;
    resumed_ += static_cast<int>(rank_.threads.ready.size());
    EXPECT_TRUE(resumed_ == 0 || resumed_ == waiting_) << resumed_;
  }
  // One that waits goes on: the thread that has ended made it ready, or its
  // rank finds it so.
  bool is_resumed() {
    if (resumed_ > 0) return resumed_-- > 0;
    auto&& ready = ready_threads(rank_.joins);
    FakeThreads::SavedThread saved;
    return next_of(ready, ready.waiting() + 1, &saved);
  }

  const std::span<const Use> uses_;
  Rank<Joins>& rank_;
  Thread<Joins> thread_;
  bool has_ended_ = false;
  int waiting_ = 0;
  int resumed_ = 0;
};

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
  ~Meeting() {
    auto&& ready = ready_threads(rank_.joins);
    FakeThreads::SavedThread saved;
    while (ready.waiting() > 0) EXPECT_FALSE(ready.next(&saved));
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(rank_.joins.live_entries(), 0u);
    rma::barrier();
  }

  // Who waits is gone on with by the thread that ends, or when the rank looks.
  Way die(uint64_t result, bool parent_is_here = false) {
    const Way way = thread_.die(result, parent_is_here);
    return way == Way::kExitedToScheduler && is_ready() ? Way::kExitedToConsumer
                                                        : way;
  }
  // Whether the rank goes on with the consumer now.
  bool is_ready() {
    auto&& ready = ready_threads(rank_.joins);
    FakeThreads::SavedThread saved;
    const bool is_ready = next_of(ready, 2, &saved);
    EXPECT_TRUE(!is_ready || saved.frames == FakeThreads::kFrames);
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
  for (const bool discards : {false, true}) {
    Meeting<Joins> m(0);
    EXPECT_EQ(m.die(42, /*parent_is_here=*/true), Way::kReturned);
    EXPECT_EQ(discards ? m.discard() : m.join(), Way::kReturned);
    EXPECT_EQ(m.result().value_or(42), 42u);
    EXPECT_EQ(m.stats().spawns, 1u);
    EXPECT_EQ(m.stats().deaths, 1u);
  }
}

template <typename Joins>
void joined_thread_arrives_first() {
  for (const int hop : {0, 1}) {
    Meeting<Joins> m(hop);
    EXPECT_EQ(m.die(42), Way::kExitedToScheduler);
    EXPECT_EQ(m.join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
  }
}

template <typename Joins>
void joining_thread_arrives_first() {
  for (const int hop : {0, 1}) {
    Meeting<Joins> m(hop);
    m.threads().until_it_is_resumed = [&] {
      EXPECT_EQ(m.die(42), Way::kExitedToConsumer);
    };
    EXPECT_EQ(m.join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
  }
}

// The joined thread ends after the other has looked, if it looks, and before it
// announces itself.
template <typename Joins>
void joining_thread_loses_the_race() {
  for (const int hop : {0, 1}) {
    Meeting<Joins> m(hop);
    m.threads().before_it_announces_itself = [&] {
      EXPECT_EQ(m.die(42), Way::kExitedToScheduler);
    };
    m.threads().until_it_is_resumed = [&] { EXPECT_TRUE(m.is_ready()); };
    EXPECT_EQ(m.join(), Way::kReturned);
    EXPECT_EQ(m.result(), 42u);
  }
}

template <typename Joins>
void discarded_after_the_end() {
  for (const int hop : {0, 1}) {
    Meeting<Joins> m(hop);
    EXPECT_EQ(m.die(42), Way::kExitedToScheduler);
    EXPECT_EQ(m.discard(), Way::kReturned);
  }
}

// Then the one that ends frees the entry, or the rank that has discarded it,
// and nobody is resumed.
template <typename Joins>
void discarded_before_the_end() {
  for (const int hop : {0, 1}) {
    Meeting<Joins> m(hop);
    EXPECT_EQ(m.discard(), Way::kReturned);
    EXPECT_EQ(m.die(42), Way::kExitedToScheduler);
  }
}

// All that two and three consumers can do.
template <typename Joins>
void several_consumers() {
  constexpr int kUses = 5;
  Rank<Joins> rank;
  for (const size_t consumers : {2, 3}) {
    const int scripts = consumers == 2 ? kUses * kUses : kUses * kUses * kUses;
    for (int script = 0; script < scripts; ++script) {
      std::array<Use, 3> uses;
      for (int i = 0, rest = script; i < 3; ++i, rest /= kUses)
        uses[static_cast<size_t>(i)] = static_cast<Use>(rest % kUses);
      SharedMeeting<Joins>(rank, script % 2, {uses.data(), consumers}).run();
    }
  }
}

// As many as there can be, who all wait.
template <typename Joins>
void most_consumers() {
  const std::vector<Use> uses(TypeInfo::kMostConsumers, Use::kJoinsBefore);
  Rank<Joins> rank;
  for (const int hop : {0, 1}) SharedMeeting<Joins>(rank, hop, uses).run();
}

// Both come at once, each from a rank of its own, over an entry of the first:
// exactly one of them goes on with the join, and it finds the result.
template <typename Joins>
void two_ranks_race() {
  const auto here = rma::allocate<rma::Word>();
  const auto resumed = rma::allocate<rma::Word>();
  const auto box = Thread<Joins>::box();
  Rank<Joins> rank;
  uint64_t suspended = 0;
  rank.threads.until_it_is_resumed = [&] {
    ++suspended;
    auto&& ready = ready_threads(rank.joins);
    FakeThreads::SavedThread saved;
    for (; resumed.local()->load() < suspended; rma::idle()) {
      if (!ready.next(&saved)) continue;
      --suspended;  // by its own rank
      return;
    }
  };
  for (uint64_t i = 0; i < spmd::rounds(2000, 200); ++i) {
    if (rma::rank() == 0) Thread<Joins>(rank.joins.create(kType)).put_into(box);
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

// Its arguments are the cases' name and the class.
#define MAGPIE_JOIN_POLICY_SUITE(Name, ...)                             \
  static_assert(::magpie::JoinPolicy<__VA_ARGS__>);                     \
  SPMD_TEST(Name, NothingWasStolen) {                                   \
    ::magpie::join_suite::nothing_was_stolen<__VA_ARGS__>();            \
  }                                                                     \
  SPMD_TEST(Name, JoinedThreadArrivesFirst) {                           \
    ::magpie::join_suite::joined_thread_arrives_first<__VA_ARGS__>();   \
  }                                                                     \
  SPMD_TEST(Name, JoiningThreadArrivesFirst) {                          \
    ::magpie::join_suite::joining_thread_arrives_first<__VA_ARGS__>();  \
  }                                                                     \
  SPMD_TEST(Name, JoiningThreadLosesTheRace) {                          \
    ::magpie::join_suite::joining_thread_loses_the_race<__VA_ARGS__>(); \
  }                                                                     \
  SPMD_TEST(Name, DiscardedAfterTheEnd) {                               \
    ::magpie::join_suite::discarded_after_the_end<__VA_ARGS__>();       \
  }                                                                     \
  SPMD_TEST(Name, DiscardedBeforeTheEnd) {                              \
    ::magpie::join_suite::discarded_before_the_end<__VA_ARGS__>();      \
  }                                                                     \
  SPMD_TEST(Name, SeveralConsumers) {                                   \
    ::magpie::join_suite::several_consumers<__VA_ARGS__>();             \
  }                                                                     \
  SPMD_TEST(Name, MostConsumers) {                                      \
    ::magpie::join_suite::most_consumers<__VA_ARGS__>();                \
  }                                                                     \
  SPMD_TEST(Name, TwoRanksRace) {                                       \
    ::magpie::join_suite::two_ranks_race<__VA_ARGS__>();                \
  }                                                                     \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_POLICY_SUITE_H_
