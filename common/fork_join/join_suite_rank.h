// A rank in the tests of a way to join (join_policy_suite.h), the threads that
// meet, and the thread layer under them.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_
#define MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/context/context.h"
#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/join_policy.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie {

// Exceptions thrown in the place of leaving, one for each way to leave.
struct ExitedToScheduler {};
struct ExitedTo {
  rma::RemotePtr<std::byte> frames;
};

// A thread layer for testing ways to join by themselves: what would leave the
// calling execution throws instead, so that a test plays both threads of a
// join, one call after the other, in the order that it is about. Nothing runs
// on it; what else the concept asks for is that of InPlaceThreads.
class FakeThreads : public InPlaceThreads {
 public:
  struct SavedThread {
    rma::RemotePtr<std::byte> frames;
    uint64_t more = 0;
  };

  using InPlaceThreads::InPlaceThreads;

  // A null parent has been stolen.
  bool reclaim_parent(context::Context* parent) { return parent != nullptr; }
  bool reclaim_at_once(context::Context* parent) {
    return has_fast_path && parent != nullptr;
  }

  // The thread is known as kFrames. Returns where it goes on in place, or when
  // the test has gone on with it.
  template <typename Stay>
  void suspend(Stay stay) {
    // Copies: they may suspend others, for whom there are other hooks.
    const auto before = before_it_announces_itself;
    const auto until = until_it_is_resumed;
    if (before) before();
    if (stay(SavedThread{kFrames})) return;
    until();
  }
  void make_ready(const SavedThread& thread) { ready.push_back(thread.frames); }
  [[noreturn]] void exit_to_scheduler() { throw ExitedToScheduler{}; }
  [[noreturn]] void exit_to(const SavedThread& next) {
    throw ExitedTo{next.frames};
  }

  static constexpr rma::RemotePtr<std::byte> kFrames = {0, 4711};

  // Hooks of the test, called at these moments.
  std::function<void()> before_it_announces_itself;
  std::function<void()> until_it_is_resumed;

  // Whether reclaim_at_once() applies.
  bool has_fast_path = true;
  // Frames of the threads that were made ready.
  std::vector<rma::RemotePtr<std::byte>> ready;
};

static_assert(ThreadLayer<FakeThreads>);

}  // namespace magpie

namespace magpie::join_suite {

inline void no_invoke(const void*, void*) {}
inline constexpr TypeInfo kType = {no_invoke,         8, 8,   sizeof(uint64_t),
                                   alignof(uint64_t), 1, true};
// The same with so many consumers.
constexpr TypeInfo type_for(uint32_t consumers) {
  TypeInfo type = kType;
  type.consumers = consumers;
  type.is_small = consumers == 1;
  return type;
}
inline constexpr HeapOptions kMemory = {
    .bytes = 64 << 10, .what = "memory", .flag = "--flag"};

// End of a call: it returns, or leaves the caller's execution for good.
enum class Way { kReturned, kExitedToScheduler, kExitedToConsumer };

// One rank.
template <typename Joins>
struct Rank : JoinParts<FakeThreads, Joins> {
  Rank()
      : JoinParts<FakeThreads, Joins>{
            FakeThreads({}, 0),
            // Within what its heap_bytes() says.
            spmd::made_within<Joins>(Joins::heap_bytes(kMemory),
                                     "the way to join", kMemory)} {
    rma::self().local = static_cast<JoinParts<FakeThreads, Joins>*>(this);
  }
  ~Rank() { rma::self().local = nullptr; }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  // Expects that nobody is ready, and all entries are free again. Collective.
  void expect_nothing_left() {
    auto& ready = this->joins;
    FakeThreads::SavedThread saved;
    while (ready.waiting() > 0) EXPECT_FALSE(ready.next(&saved));
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(this->joins.live_entries(), 0u);
    EXPECT_EQ(this->joins.stats().spawns, this->joins.stats().deaths);
    rma::barrier();
  }
};

// A thread that runs. Its handle travels between ranks.
template <typename Joins>
struct Thread {
  // Ends the thread.
  Way die(uint64_t result, bool parent_is_here) const {
    std::byte frame;
    auto* const parent = reinterpret_cast<context::Context*>(&frame);
    try {
      Joins::die(kType, handle, parent_is_here ? parent : nullptr, &result);
    } catch (const ExitedToScheduler&) {
      return Way::kExitedToScheduler;
    } catch (const ExitedTo& exited) {
      EXPECT_EQ(exited.frames, FakeThreads::kFrames);
      return Way::kExitedToConsumer;
    }
    return Way::kReturned;
  }

  Handle handle;
};

// A new thread, with its entry on the rank `hop` behind this one, where it was
// created. Collective.
template <typename Joins>
Thread<Joins> thread_from(Rank<Joins>& rank, int hop, const TypeInfo& type) {
  const auto box = rma::allocate<Handle>();
  *box.local() = rank.joins.create(type);
  rma::barrier();
  return {rma::get(box.at((rma::rank() + hop) % rma::size()))};
}

// One join between two threads that both run on this rank, over an entry of
// the rank `hop` behind this one, where the joined one was created.
template <typename Joins>
class Meeting {
 public:
  // Collective.
  explicit Meeting(int hop) : thread_(thread_from(rank_, hop, kType)) {
    rma::barrier();
  }
  // Collective. All entries are free again.
  ~Meeting() { rank_.expect_nothing_left(); }

  // Ends the thread. A waiting consumer goes on by it, or when the rank looks.
  Way die(uint64_t result, bool parent_is_here = false) {
    const Way way = thread_.die(result, parent_is_here);
    if (way != Way::kExitedToScheduler) return way;
    auto& ready = rank_.joins;
    FakeThreads::SavedThread saved;
    const bool is_ready = next_of(ready, 2, &saved);
    EXPECT_EQ(saved.frames, is_ready ? FakeThreads::kFrames
                                     : FakeThreads::SavedThread{}.frames);
    return is_ready ? Way::kExitedToConsumer : way;
  }
  // The result.
  uint64_t join() {
    uint64_t result = 0;
    Joins::join(thread_.handle, 0, &result, sizeof(result));
    return result;
  }
  void discard() { Joins::discard(thread_.handle, 0, sizeof(uint64_t)); }

  FakeThreads& threads() { return rank_.threads; }
  const SchedulerStats& stats() const { return rank_.joins.stats(); }
  OwnCounts own_counts() const { return own_counts_of(rank_.joins); }
  bool remote() const {
    return entry_of<std::byte>(thread_.handle).rank != rma::rank();
  }

 private:
  Rank<Joins> rank_;
  Thread<Joins> thread_;
};

}  // namespace magpie::join_suite

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_
