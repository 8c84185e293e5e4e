// What a rank has in the tests of a way to join (join_policy_suite.h), and the
// threads that meet.

#ifndef MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_
#define MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_

#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/fork_join/fake_threads.h"
#include "common/fork_join/join_policy.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"
#include "common/testing/within.h"

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

// How a call ends: it returns, or leaves the caller's execution for good.
enum class Way { kReturned, kSuspended, kExitedToScheduler, kExitedToConsumer };

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
    auto&& ready = this->joins.ready();
    FakeThreads::SavedThread saved;
    while (ready.waiting() > 0) EXPECT_FALSE(ready.next(&saved));
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(this->joins.live_entries(), 0u);
    rma::barrier();
  }
};

// A thread that runs, as it travels between ranks.
template <typename Joins>
struct Thread {
  // What thread `there` becomes when it moves to the calling rank.
  static Thread moved_from(rma::RemotePtr<std::byte> there) {
    Thread thread;
    rma::get(&thread, there, sizeof(thread));
    return thread;
  }
  static rma::RemotePtr<std::byte> box() {
    return rma::allocate_bytes(sizeof(Thread), 16);
  }
  void put_into(rma::RemotePtr<std::byte> box) const {
    rma::put(box, this, sizeof(Thread));
    rma::flush(box.rank);
  }

  // Ends the thread.
  Way die(uint64_t result, bool parent_is_here) const {
    std::byte frame;
    auto* const parent = reinterpret_cast<context::Context*>(&frame);
    return way_of([&] {
      Joins::die(kType, handle, parent_is_here ? parent : nullptr, &result);
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

  Handle handle;
};

// A new thread, with its entry on the rank `hop` behind this one, where it was
// created. Collective.
template <typename Joins>
Thread<Joins> thread_from(Rank<Joins>& rank, int hop, const TypeInfo& type) {
  const rma::RemotePtr<std::byte> box = Thread<Joins>::box();
  rma::barrier();
  Thread<Joins>{rank.joins.create(type)}.put_into(box);
  rma::barrier();
  return Thread<Joins>::moved_from(box.at((rma::rank() + hop) % rma::size()));
}

}  // namespace magpie::join_suite

#endif  // MAGPIE_COMMON_FORK_JOIN_JOIN_SUITE_RANK_H_
