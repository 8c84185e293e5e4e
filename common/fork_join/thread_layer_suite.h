// The suite of the concept ThreadLayer. A class is tested by naming it:
//
//   MAGPIE_THREAD_LAYER_SUITE(MyThreads, my::Threads, {});   // its Options
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. What
// joins make of threads is tested by composing a runtime and running the
// programs of //tests/fork_join.
//
// A layer may steal or not: each case counts in the symmetric heap what its
// threads did, and every count is known.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/fork_join/thread_layer.h"
#include "common/fork_join/thread_suite_gates.h"
#include "common/fork_join/thread_suite_rank.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::thread_suite {

// Runs body() as the root; body must return with all its threads ended.
template <typename Threads, void (*kBody)()>
void run_root(void*) {
  kBody();
  Rank<Threads>::self().threads.end_run();
  Rank<Threads>::self().threads.exit_to_scheduler();
}

constexpr uint64_t kDepth = 7;

template <typename Threads>
void tree_of_forks() {
  tree<Threads>(kDepth);
  wait_for_leaves<Threads>(1 << kDepth);
}

// A thread that suspends and stays, at every depth, beside forks that may be
// stolen.
template <typename Threads>
void descend_and_stay(uint64_t depth) {
  using Rank = thread_suite::Rank<Threads>;
  if (depth == 0) return Rank::count(&Counts::leaves);
  const Mark mark(depth);
  Rank::self().threads.suspend([](const typename Threads::SavedThread& saved) {
    EXPECT_TRUE(saved.frames);
    return true;
  });
  Rank::count(&Counts::suspended);
  if (!mark.intact(depth)) Rank::count(&Counts::damaged);
  tree<Threads>(1);
  descend_and_stay<Threads>(depth - 1);
  if (!mark.intact(depth)) Rank::count(&Counts::damaged);
}

template <typename Threads>
void suspend_and_stay() {
  descend_and_stay<Threads>(kDepth);
  wait_for_leaves<Threads>(2 * kDepth + 1);
}

// A thread and its parent meet: whoever comes first gives way, whoever comes
// last goes on with the parent. Lies on rank 0.
template <typename Threads>
struct Meeting {
  rma::Word arrived;
  typename Threads::SavedThread waiting;
};

template <typename Threads>
class MeetingChild {
  using Rank = thread_suite::Rank<Threads>;

 public:
  explicit MeetingChild(uint64_t offset) : meeting_{0, offset} {}
  static Threads& threads() { return Rank::self().threads; }
  void run() { Rank::count(&Counts::leaves); }
  void return_to_parent() {
    if (arrive() != 0) Rank::count(&Counts::damaged);
  }
  [[noreturn]] void leave() {
    if (arrive() == 0) threads().exit_to_scheduler();
    threads().exit_to(rma::get(meeting_.field(&Meeting<Threads>::waiting)));
  }

 private:
  // Number of those that came before.
  uint64_t arrive() {
    return rma::fetch_add(meeting_.field(&Meeting<Threads>::arrived), 1);
  }
  const rma::RemotePtr<Meeting<Threads>> meeting_;
};

template <typename Threads>
void meet(rma::RemotePtr<Meeting<Threads>> meeting) {
  using Rank = thread_suite::Rank<Threads>;
  const auto arrived = meeting.field(&Meeting<Threads>::arrived);
  const Mark mark(meeting.offset);
  rma::put_word(arrived, 0);
  rma::flush(0);
  create_child<Threads, MeetingChild<Threads>>(meeting.offset);
  Rank::count(&Counts::continued);
  if (rma::get_word(arrived) == 0) {
    Rank::self().threads.suspend(
        [=](const typename Threads::SavedThread& saved) {
          rma::put(meeting.field(&Meeting<Threads>::waiting), saved);
          rma::flush(0);
          return rma::fetch_add(arrived, 1) != 0;
        });
    Rank::count(&Counts::suspended);
  }
  if (rma::get_word(arrived) == 0) Rank::count(&Counts::damaged);
  if (!mark.intact(meeting.offset)) Rank::count(&Counts::damaged);
}

constexpr uint64_t kMeetings = 40;

// Threads and their parents meet at the place that run() has made.
template <typename Threads>
void threads_meet_parents() {
  const uint64_t offset = Rank<Threads>::self().meeting_place.offset;
  for (uint64_t i = 0; i < kMeetings; ++i) meet<Threads>({0, offset});
}

template <typename Threads>
void tree_that_waits(uint64_t node);

template <typename Threads>
class WaitedForChild {
  using Rank = thread_suite::Rank<Threads>;

 public:
  explicit WaitedForChild(uint64_t node) : node_(node) {}
  static Threads& threads() { return Rank::self().threads; }
  void run() { tree_that_waits<Threads>(node_); }
  void return_to_parent() { end(); }
  [[noreturn]] void leave() {
    end();
    threads().exit_to_scheduler();
  }

 private:
  void end() { rma::fetch_add(Rank::self().ended + node_, 1); }
  const uint64_t node_;
};

// A binary tree over 1, 2 and 3, 4 to 7, ...: each inner node's left child is a
// thread, for which it waits in the queue of the rank that it is on. Nobody
// exits to it.
template <typename Threads>
void tree_that_waits(uint64_t node) {
  using Rank = thread_suite::Rank<Threads>;
  if (2 * node >= kNodes) return Rank::count(&Counts::leaves);
  const Mark mark(node);
  create_child<Threads, WaitedForChild<Threads>>(2 * node);
  Rank::count(&Counts::continued);
  tree_that_waits<Threads>(2 * node + 1);
  if (rma::get_word(Rank::self().ended + 2 * node) == 0) {
    Rank::self().threads.suspend(
        [node](const typename Threads::SavedThread& saved) {
          Rank::self().waiting.add(saved, Rank::self().ended + 2 * node);
          return false;
        });
    Rank::count(&Counts::suspended);
  }
  if (rma::get_word(Rank::self().ended + 2 * node) == 0 || !mark.intact(node))
    Rank::count(&Counts::damaged);
}

// Does not wait for the left one of two trees: the run may be over, but for
// what waits in queues.
template <typename Threads>
void threads_wait_in_queues() {
  create_child<Threads, WaitedForChild<Threads>>(uint64_t{2});
  Rank<Threads>::count(&Counts::continued);
  tree_that_waits<Threads>(3);
}

// Collective. Returns what was counted, when all is over.
template <typename Threads, void (*kBody)()>
std::array<uint64_t, 3> run(const typename Threads::Options& options) {
  Rank<Threads> rank(options);
  rank.meeting_place =
      rma::allocate_bytes(
          std::max(sizeof(Meeting<Threads>), kGates * sizeof(Gate<Threads>)),
          16)
          .at(0);
  rma::barrier();
  rank.threads.run(&run_root<Threads, kBody>, nullptr, rank.waiting);
  rma::barrier();
  EXPECT_EQ(rank.threads.live_threads(), 0u);
  EXPECT_EQ(rank.counted(&Counts::damaged), 0u);
  const std::array<uint64_t, 3> counts = {rank.counted(&Counts::leaves),
                                          rank.counted(&Counts::continued),
                                          rank.counted(&Counts::suspended)};
  rma::barrier();
  return counts;
}

template <typename Threads>
void forks_go_on_once(const typename Threads::Options& options) {
  const auto [leaves, continued, suspended] =
      run<Threads, &tree_of_forks<Threads>>(options);
  EXPECT_EQ(leaves, 1u << kDepth);
  EXPECT_EQ(continued, (1u << kDepth) - 1);
}

template <typename Threads>
void who_stays_goes_on_in_place(const typename Threads::Options& options) {
  const auto [leaves, continued, suspended] =
      run<Threads, &suspend_and_stay<Threads>>(options);
  EXPECT_EQ(leaves, 2 * kDepth + 1);
  EXPECT_EQ(suspended, kDepth);
}

template <typename Threads>
void who_leaves_is_resumed_once(const typename Threads::Options& options) {
  const auto [leaves, continued, suspended] =
      run<Threads, &threads_meet_parents<Threads>>(options);
  EXPECT_EQ(leaves, kMeetings);
  EXPECT_EQ(continued, kMeetings);
  EXPECT_LE(suspended, kMeetings);
}

template <typename Threads>
void who_waits_is_looked_at(const typename Threads::Options& options) {
  const auto [leaves, continued, suspended] =
      run<Threads, &threads_wait_in_queues<Threads>>(options);
  EXPECT_EQ(leaves, kNodes / 2);
  EXPECT_EQ(continued, kNodes / 2 - 1);
  EXPECT_LE(suspended, kNodes / 2 - 1);
}

// All of them go on once, wherever that is.
template <typename Threads>
void who_is_ready_goes_on_once(const typename Threads::Options& options) {
  const auto [leaves, continued, suspended] =
      run<Threads, &threads_wait_at_gates<Threads>>(options);
  EXPECT_EQ(leaves, kGates * (1 + Gate<Threads>::kWaiters * kWaiterLeaves));
}

}  // namespace magpie::thread_suite

// Takes the cases' name, the class, and the class's options.
#define MAGPIE_THREAD_LAYER_SUITE(Name, Threads, ...)                       \
  static_assert(::magpie::ThreadLayer<Threads>);                            \
  SPMD_CASE(Name, ForksGoOnOnce,                                            \
            thread_suite::forks_go_on_once<Threads>(__VA_ARGS__))           \
  SPMD_CASE(Name, WhoStaysGoesOnInPlace,                                    \
            thread_suite::who_stays_goes_on_in_place<Threads>(__VA_ARGS__)) \
  SPMD_CASE(Name, WhoLeavesIsResumedOnce,                                   \
            thread_suite::who_leaves_is_resumed_once<Threads>(__VA_ARGS__)) \
  SPMD_CASE(Name, WhoWaitsIsLookedAt,                                       \
            thread_suite::who_waits_is_looked_at<Threads>(__VA_ARGS__))     \
  SPMD_CASE(Name, WhoIsReadyGoesOnOnce,                                     \
            thread_suite::who_is_ready_goes_on_once<Threads>(__VA_ARGS__))  \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_
