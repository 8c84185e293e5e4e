// THE queue among several ranks: what its steps cost, and that each
// continuation is taken once, by its owner or by one thief.

#include "impl/uniaddr/the_queue.h"

#include <vector>

#include "common/testing/spmd.h"

namespace magpie {
namespace {

using rma::Op;
using uniaddr::TaskqEntry;
using uniaddr::TheQueue;

TaskqEntry entry(uint64_t i) {
  return {reinterpret_cast<std::byte*>(i), i * 3};
}
uint64_t number_of(const TaskqEntry& e) {
  EXPECT_EQ(e.frame_bytes, reinterpret_cast<uint64_t>(e.frame_base) * 3);
  return reinterpret_cast<uint64_t>(e.frame_base);
}

struct Costs {
  uint64_t gets = 0, puts = 0, fetch_adds = 0, swaps = 0;
  bool operator==(const Costs&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Costs& c) {
  return out << c.gets << " gets, " << c.puts << " puts, " << c.fetch_adds
             << " fetch_adds, " << c.swaps << " swaps";
}

// The operations of a call, all kinds but flush.
template <typename Call>
Costs costs_of(Call call) {
  const rma::OpCounters before = rma::self().counters;
  call();
  const rma::OpCounters done = rma::self().counters - before;
  const Costs costs = {done[Op::kGet].operations, done[Op::kPut].operations,
                       done[Op::kFetchAdd].operations,
                       done[Op::kSwap].operations};
  EXPECT_EQ(done.operations(),
            costs.gets + costs.puts + costs.fetch_adds + costs.swaps);
  return costs;
}

// Each rank fills its queue and robs its neighbour's, one after the other.
SPMD_TEST(TheQueue, Costs) {
  TheQueue queue(16);
  const TheQueue::Remote other = queue.remote((rma::rank() + 1) % rma::size());
  TaskqEntry e;
  EXPECT_EQ(costs_of([&] {
              queue.push(entry(1));
              queue.push(entry(2));
              queue.push(entry(3));
              EXPECT_TRUE(queue.pop(&e));
              EXPECT_FALSE(queue.empty());
            }),
            Costs{});
  EXPECT_EQ(number_of(e), 3u);
  rma::barrier();
  EXPECT_EQ(costs_of([&] { EXPECT_FALSE(TheQueue::looks_empty(other)); }),
            (Costs{.gets = 1}));
  EXPECT_EQ(costs_of([&] { EXPECT_TRUE(TheQueue::try_lock(other)); }),
            (Costs{.fetch_adds = 1}));
  EXPECT_EQ(costs_of([&] { EXPECT_FALSE(TheQueue::try_lock(other)); }),
            (Costs{.fetch_adds = 1}));
  EXPECT_EQ(costs_of([&] { EXPECT_TRUE(TheQueue::take_oldest(other, &e)); }),
            (Costs{.gets = 3, .puts = 1}));
  EXPECT_EQ(number_of(e), 1u);
  EXPECT_EQ(costs_of([&] { TheQueue::unlock(other); }), (Costs{.swaps = 1}));
  EXPECT_TRUE(TheQueue::try_lock(other));
  EXPECT_TRUE(TheQueue::take_oldest(other, &e));
  EXPECT_EQ(number_of(e), 2u);
  EXPECT_EQ(costs_of([&] { EXPECT_FALSE(TheQueue::take_oldest(other, &e)); }),
            (Costs{.gets = 2, .puts = 2}));
  TheQueue::unlock(other);
  EXPECT_EQ(costs_of([&] { EXPECT_TRUE(TheQueue::looks_empty(other)); }),
            (Costs{.gets = 1}));
  rma::barrier();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(costs_of([&] { EXPECT_FALSE(queue.pop(&e)); }),
            (Costs{.fetch_adds = 1, .swaps = 1}));
}

// An owner that finds its queue empty while a thief has the lock waits until
// the thief has let go: only then may it use the frames' memory again.
SPMD_TEST(TheQueue, OwnerWaitsForAThiefThatCopies) {
  TheQueue queue(16);
  struct Shared {
    rma::Word taken, popped;
  };
  const auto shared = rma::allocate<Shared>();
  const auto taken = rma::remote_field(shared.at(0), &Shared::taken);
  const auto popped = rma::remote_field(shared.at(0), &Shared::popped);
  for (uint64_t round = 1; rma::size() > 1 && round <= 300; ++round) {
    rma::barrier();
    if (rma::rank() == 0) {
      queue.push(entry(round));
      while (rma::get_word(taken) < round) rma::idle();
      TaskqEntry e;
      EXPECT_FALSE(queue.pop(&e));
      rma::put_word(popped, round);
      rma::flush_all();
    } else if (rma::rank() == 1) {
      const TheQueue::Remote other = queue.remote(0);
      TaskqEntry e;
      while (TheQueue::looks_empty(other)) rma::idle();
      EXPECT_TRUE(TheQueue::try_lock(other));
      EXPECT_TRUE(TheQueue::take_oldest(other, &e));
      EXPECT_EQ(number_of(e), round);
      rma::put_word(taken, round);
      rma::flush(0);
      for (int i = 0; i < 50; ++i) {  // "copies"
        rma::idle();
        EXPECT_LT(rma::get_word(popped), round)
            << "the owner found it empty while a thief had the lock";
      }
      TheQueue::unlock(other);
    }
  }
  rma::barrier();
}

// What a rank has taken: how many, and a sum that tells which.
struct Taken {
  uint64_t count = 0, sum = 0;
  void add(const TaskqEntry& e) {
    ++count;
    sum += number_of(e) * number_of(e);
  }
};

// The last continuation, which owner and thieves may want at the same moment:
// only the fences of both sides keep them from taking it twice.
SPMD_TEST(TheQueue, LastOneIsTakenOnce) {
  constexpr uint64_t kEntries = 2000000;
  TheQueue queue(1);
  const auto over = rma::allocate<rma::Word>();
  Taken taken;
  rma::barrier();
  if (rma::rank() == 0) {
    TaskqEntry e;
    for (uint64_t i = 0; i < kEntries; ++i) {
      queue.push(entry(i));
      if (queue.pop(&e)) {
        taken.add(e);
        // An empty queue starts anew: invariant 7.
        EXPECT_FALSE(queue.pop(&e));
      }
    }
    rma::put_word(over, 1);
    rma::flush_all();
  } else {
    const TheQueue::Remote other = queue.remote(0);
    TaskqEntry e;
    for (uint64_t i = 0; rma::get_word(over.at(0)) == 0; ++i) {
      for (uint64_t pause = i % 64; pause > 0; --pause) asm volatile("");
      if (i % 256 == 0) rma::idle();
      if (!TheQueue::try_lock(other)) continue;
      if (TheQueue::take_oldest(other, &e)) taken.add(e);
      TheQueue::unlock(other);
    }
  }
  uint64_t totals[] = {taken.count, taken.sum};
  rma::reduce(totals, 2, rma::Reduction::kSum);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < kEntries; ++i) sum += i * i;
  EXPECT_EQ(totals[0], kEntries);
  EXPECT_EQ(totals[1], sum);
}

// Under load: rank 0 pushes and pops at random, all others steal. A word for
// each continuation counts how often it was taken.
SPMD_TEST(TheQueue, EachIsTakenOnce) {
  constexpr uint64_t kEntries = 200000;
  constexpr uint64_t kCapacity = 8;
  TheQueue queue(kCapacity);
  const auto taken = rma::allocate<rma::Word>(kEntries);
  const auto over = rma::allocate<rma::Word>();
  uint64_t stolen = 0;
  rma::barrier();
  if (rma::rank() == 0) {
    uint64_t random = 1, next = 0, since_empty = 0;
    TaskqEntry e;
    const auto pop = [&] {
      if (queue.pop(&e)) {
        rma::fetch_add(taken + number_of(e), 1);
      } else {
        since_empty = 0;
      }
    };
    while (next < kEntries) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      if ((random >> 40) % 2 == 0 && since_empty < kCapacity) {
        queue.push(entry(next++));
        ++since_empty;
      } else {
        pop();
      }
    }
    while (since_empty > 0) pop();
    rma::put_word(over, 1);
    rma::flush_all();
  } else {
    const TheQueue::Remote other = queue.remote(0);
    TaskqEntry e;
    while (rma::get_word(over.at(0)) == 0) {
      rma::idle();
      if (TheQueue::looks_empty(other) || !TheQueue::try_lock(other)) continue;
      const bool found = TheQueue::take_oldest(other, &e);
      TheQueue::unlock(other);
      if (!found) continue;
      rma::fetch_add(taken.at(0) + number_of(e), 1);
      ++stolen;
    }
  }
  rma::flush_all();
  rma::barrier();
  if (rma::rank() == 0) {
    for (uint64_t i = 0; i < kEntries; ++i) {
      ASSERT_EQ((taken + i).local()->load(), 1u)
          << "continuation " << i << " of " << kEntries;
    }
  }
  rma::reduce(&stolen, 1, rma::Reduction::kSum);
  if (rma::size() > 1) {
    EXPECT_GT(stolen, 0u) << "no thief had anything: nothing was tested";
  }
}

}  // namespace
}  // namespace magpie

SPMD_MAIN({.region_bytes = 1 << 20, .heap_bytes = 16 << 20});
