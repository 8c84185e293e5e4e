// Operations that meet: at one target's interface, or on the way of each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::sim::Network;
using rma::sim::parse_network;

// --------------------------------------------------------------- the interface

// An atomic there takes 300 ns of the interface, a get 40 + 8 * 1, a put 70 +
// 8 * 1; ranks are alone on their nodes.
constexpr char kBusy[] =
    "custom,latency=1us,bandwidth=1,overhead=10ns,atomic=300ns,get=40ns,"
    "put=70ns,node_size=1";
constexpr Time kWay = 10'000 + 1'000'000 + 8'000;  // to the target

// What each rank but 0 does to rank 0's word `at`, all of them at once.
using Step = void (*)(rma::RemotePtr<rma::Word> at);

// When each rank was done, in the order of time, since all began.
std::vector<Time> ends(int ranks, Step even, Step odd) {
  std::vector<Time> ends;
  simulate(on(ranks + 1, kBusy), [&] {
    const auto words = rma::allocate<rma::Word>(64);
    rma::barrier();
    const Time begin = clock();
    const int r = rma::rank();
    if (r != 0) {
      (r % 2 == 0 ? even : odd)(words.at(0) + static_cast<uint64_t>(r % 64));
      ends.push_back(clock() - begin);
    }
    rma::barrier();
  });
  std::sort(ends.begin(), ends.end());
  return ends;
}

// `count` operations, the first unhindered and the others `gap` apart.
std::vector<Time> in_line(int count, Time first, Time gap) {
  std::vector<Time> times;
  for (int i = 0; i < count; ++i)
    times.push_back(first + static_cast<Time>(i) * gap);
  return times;
}

void add(rma::RemotePtr<rma::Word> at) { rma::fetch_add(at, 1); }
void swap(rma::RemotePtr<rma::Word> at) { rma::swap(at, 1); }
void get(rma::RemotePtr<rma::Word> at) { rma::get_word(at); }
void put(rma::RemotePtr<rma::Word> at) {
  rma::put_word(at, 1);
  rma::flush(at.rank);
}

constexpr Time kAtomic = kWay + 300'000 + 1'000'000;
constexpr Time kGet = kWay + 40'000 + 1'000'000;
constexpr Time kPut = kWay + 70'000 + 1'000'000;

TEST(Interface, ServesOneAtomicAtATime) {
  for (int ranks : {1, 2, 3, 50})
    EXPECT_EQ(ends(ranks, &add, &add), in_line(ranks, kAtomic, 300'000));
  // Whatever the kind, and whatever the word.
  EXPECT_EQ(ends(50, &add, &swap), in_line(50, kAtomic, 300'000));
}

TEST(Interface, ServesOneTransferAtATime) {
  EXPECT_EQ(ends(50, &get, &get), in_line(50, kGet, 48'000));
  EXPECT_EQ(ends(50, &put, &put), in_line(50, kPut, 78'000));
}

TEST(Interface, GetsAndPutsAreTransfers) {
  // In the order of the ranks, since they began at one time: put, get, ...
  EXPECT_EQ(ends(2, &get, &put), (std::vector<Time>{kPut, kGet + 78'000}));
  EXPECT_EQ(ends(3, &get, &put),
            (std::vector<Time>{kPut, kGet + 78'000, kPut + 78'000 + 48'000}));
}

TEST(Interface, AtomicsAndTransfersDoNotDelayEachOther) {
  std::vector<Time> expected = in_line(10, kAtomic, 300'000);
  for (Time t : in_line(10, kGet, 48'000)) expected.push_back(t);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(ends(20, &add, &get), expected);
}

TEST(Interface, IsFreeAgainBehindTheGap) {
  simulate(on(3, kBusy), [] {
    const auto word = rma::allocate<rma::Word>().at(0);
    for (Time later : {0, 100'000, 299'999, 300'000, 900'000}) {
      SCOPED_TRACE(later);
      rma::barrier();
      if (rma::rank() == 0) continue;
      if (rma::rank() == 2) wait_until(clock() + later);
      const Time waits =
          rma::rank() == 2 && later < 300'000 ? 300'000 - later : 0;
      EXPECT_EQ(took([&] { add(word); }), kAtomic + waits);
    }
  });
}

TEST(Interface, ServesInTheOrderOfArrival) {
  // Rank r arrives r * 10 ns behind rank 1, and finds r - 1 before it.
  simulate(on(20, kBusy), [] {
    const auto word = rma::allocate<rma::Word>().at(0);
    rma::barrier();
    if (rma::rank() == 0) return;
    const auto before = static_cast<uint64_t>(rma::rank()) - 1;
    wait_until(clock() + before * 10'000);
    EXPECT_EQ(rma::fetch_add(word, 1), before);
  });
}

// Each target has an interface of its own.
TEST(Interface, OfAnotherTargetIsFree) {
  simulate(on(20, kBusy), [] {
    const auto word = rma::allocate<rma::Word>();
    rma::barrier();
    const int target = (rma::rank() + 1) % rma::size();
    EXPECT_EQ(took([&] { add(word.at(target)); }), kAtomic);
  });
}

TEST(Interface, QueuesNonBlockingOperationsOfOneRank) {
  constexpr Time kCount = 30;
  simulate(on(2, kBusy), [] {
    const auto word = rma::allocate<rma::Word>().at(1);
    rma::barrier();
    if (rma::rank() == 1) return;
    std::array<uint64_t, kCount> before;
    const Time begin = clock();
    for (uint64_t& b : before) rma::fetch_add_nb(word, 1, &b);
    EXPECT_EQ(clock() - begin, kCount * 10'000) << "an overhead each";
    rma::flush(1);
    EXPECT_EQ(clock() - begin, kAtomic + (kCount - 1) * 300'000);
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(before[i], i);
  });
}

// ---------------------------------------------------------- passing on the way

// A byte takes a microsecond: a long transfer is on its way for a while.
constexpr char kSlow[] = "custom,bandwidth=0.001,latency=1us,node_size=1";
constexpr size_t kLong = 1000;

// Rank 0 changes rank 1's words, then reads the first of them.
uint64_t seen_behind_a_long_put(bool with_flush) {
  uint64_t seen = 0;
  simulate(on(2, kSlow), [&] {
    const auto bytes = rma::allocate<std::byte>(kLong);
    rma::barrier();
    if (rma::rank() == 0) {
      const std::vector<std::byte> ones(kLong, std::byte{1});
      rma::put(bytes.at(1), ones.data(), kLong);
      if (with_flush) rma::flush(1);
      rma::get(&seen, bytes.at(1), sizeof(seen));
      rma::flush(1);
      EXPECT_EQ(rma::get(bytes.at(1)), std::byte{1});
    }
    rma::barrier();
  });
  return seen;
}

TEST(Passing, AGetPassesAPutButForAFlush) {
  EXPECT_EQ(seen_behind_a_long_put(false), 0u);
  EXPECT_EQ(seen_behind_a_long_put(true), 0x0101010101010101u);
}

TEST(Passing, AFlushOfAnotherTargetDoesNotHelp) {
  simulate(on(3, kSlow), [] {
    const auto bytes = rma::allocate<std::byte>(kLong);
    rma::barrier();
    if (rma::rank() == 0) {
      const std::vector<std::byte> ones(kLong, std::byte{1});
      rma::put(bytes.at(1), ones.data(), kLong);
      rma::flush(2);
      EXPECT_EQ(rma::get(bytes.at(1)), std::byte{0});
      rma::flush(1);
    }
    rma::barrier();
  });
}

// The short put is there long before the long one.
TEST(Passing, AFlushWaitsForItsTargetAlone) {
  simulate(on(3, kSlow), [] {
    const auto bytes = rma::allocate<std::byte>(kLong);
    rma::barrier();
    if (rma::rank() == 0) {
      const std::vector<std::byte> ones(kLong, std::byte{1});
      for (int target : {1, 2}) {
        const int other = 3 - target;
        const Time begin = clock();
        rma::put(bytes.at(target), ones.data(), kLong);
        rma::put(bytes.at(other), ones.data(), 1);
        rma::flush(target);
        EXPECT_EQ(clock() - begin, 1'000'000'000 + 2'000'000);
        rma::flush_all();
      }
    }
    rma::barrier();
  });
}

TEST(Passing, AnAtomicPassesAPutButForAFlush) {
  for (bool with_flush : {false, true}) {
    simulate(on(2, kSlow), [&] {
      const auto bytes = rma::allocate<std::byte>(kLong);
      const rma::RemotePtr<rma::Word> word = {1, bytes.offset};
      rma::barrier();
      if (rma::rank() == 0) {
        const std::vector<std::byte> zeros(kLong);
        rma::put(bytes.at(1), zeros.data(), kLong);
        if (with_flush) rma::flush(1);
        rma::fetch_add(word, 5);
        rma::flush(1);
        EXPECT_EQ(rma::get_word(word), with_flush ? 5u : 0u);
      }
      rma::barrier();
    });
  }
}

// -------------------------------------------------------------- buffers' lives

TEST(Buffers, OfPutIsFreeAtOnce) {
  simulate(on(2, kSlow), [] {
    const auto word = rma::allocate<uint64_t>();
    rma::barrier();
    if (rma::rank() == 0) {
      uint64_t value = 1;
      rma::put({1, word.offset}, &value, sizeof(value));
      value = 2;
      rma::flush(1);
      EXPECT_EQ(rma::get(word.at(1)), 1u);
    }
    rma::barrier();
  });
}

TEST(Buffers, OfPutNbIsReadLate) {
  simulate(on(2, kSlow), [] {
    const auto word = rma::allocate<uint64_t>();
    rma::barrier();
    if (rma::rank() == 0) {
      uint64_t value = 1;
      rma::put_nb({1, word.offset}, &value, sizeof(value));
      value = 2;  // too early: the put may not have read it
      rma::flush(1);
      value = 3;  // in time
      EXPECT_EQ(rma::get(word.at(1)), 2u);
    }
    rma::barrier();
  });
}

// The source may be in the heap.
TEST(Buffers, OfPutNbInTheHeap) {
  simulate(on(3, kSlow), [] {
    const auto words = rma::allocate<uint64_t>(2);
    const auto source = words, goal = words + 1;
    rma::barrier();
    if (rma::rank() == 0) {
      rma::put_nb({1, goal.offset}, source.local(), sizeof(uint64_t));
      *source.local() = 7;
      rma::flush(1);
      EXPECT_EQ(rma::get(goal.at(1)), 7u);
    }
    rma::barrier();
  });
}

TEST(Buffers, ResultsOfNonBlockingAtomicsComeWithTheFlush) {
  simulate(on(3, kSlow), [] {
    const auto word = rma::allocate<rma::Word>();
    rma::barrier();
    if (rma::rank() == 0) {
      rma::fetch_add(word.at(1), 5);
      uint64_t before = 77;
      rma::fetch_add_nb(word.at(1), 1, &before);
      rma::compute(1'000'000);
      EXPECT_EQ(rma::get_word(word.at(1)), 6u) << "has long happened";
      rma::flush(2);
      EXPECT_EQ(before, 77u) << "a flush of another target delivers nothing";
      rma::flush(1);
      EXPECT_EQ(before, 5u);
    }
    rma::barrier();
  });
}

// More than are kept at first, so that completed ones are forgotten early.
TEST(Buffers, ManyUnflushedOperations) {
  constexpr size_t kMany = 1000;
  simulate(on(2, "custom,node_size=1"), [] {
    const auto words = rma::allocate<uint64_t>(kMany);
    const auto counter = rma::allocate<rma::Word>();
    rma::barrier();
    if (rma::rank() == 0) {
      std::vector<uint64_t> before(kMany, 77);
      for (size_t i = 0; i < kMany; ++i) {
        rma::put({1, (words + i).offset}, &i, sizeof(i));
        rma::fetch_add_nb(counter.at(1), 1, &before[i]);
        if (i % 3 == 0) rma::idle();
      }
      EXPECT_THAT(before, testing::Each(77u));
      rma::flush(1);
      std::vector<uint64_t> there(kMany);
      rma::get(there.data(), {1, words.offset}, kMany * sizeof(uint64_t));
      for (size_t i = 0; i < kMany; ++i) {
        EXPECT_EQ(there[i], i);
        EXPECT_EQ(before[i], i);
      }
    }
    rma::barrier();
  });
}

}  // namespace
}  // namespace magpie::sim_test
