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
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

// An atomic there takes 300 ns of the interface, a get 40 + 8 / 2, a put 70 +
// 8 / 2; ranks are alone on their nodes.
constexpr char kQueues[] =
    "custom,latency=1us,bandwidth=1,link_bandwidth=2,overhead=10ns,"
    "atomic=300ns,get=40ns,put=70ns,node_size=1";
// Time of the way to the target.
constexpr Time kWay = 10'000 + 1'000'000 + 8'000;

// A step that each rank but 0 does to rank 0's word `at`, all at once.
using Step = void (*)(RemotePtr<Word> at);

// Times from the common begin until each rank was done, in ascending order.
std::vector<Time> ends(int ranks, Step even, Step odd) {
  std::vector<Time> ends;
  with_words(on(ranks + 1, kQueues), [&](RemotePtr<Word> words) {
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

// Times of `count` operations, the first unhindered and the others `gap` apart.
std::vector<Time> in_line(int count, Time first, Time gap) {
  std::vector<Time> times;
  for (int i = 0; i < count; ++i)
    times.push_back(first + static_cast<Time>(i) * gap);
  return times;
}

void add(RemotePtr<Word> at) { rma::fetch_add(at, 1); }
void swap(RemotePtr<Word> at) { rma::swap(at, 1); }
void get(RemotePtr<Word> at) { rma::get_word(at); }
void put(RemotePtr<Word> at) {
  rma::put_word(at, 1);
  rma::flush(at.rank);
}

constexpr Time kAtomic = kWay + 300'000 + 1'000'000;
constexpr Time kGet = kWay + 40'000 + 1'000'000;
constexpr Time kPut = kWay + 70'000 + 1'000'000;

// Holds for any words, and for any kinds.
TEST(Interface, ServesOneAtomicAndOneTransferAtATime) {
  for (int ranks : {1, 2, 3, 50})
    EXPECT_EQ(ends(ranks, &add, &add), in_line(ranks, kAtomic, 300'000));
  EXPECT_EQ(ends(50, &add, &swap), in_line(50, kAtomic, 300'000));
  EXPECT_EQ(ends(50, &get, &get), in_line(50, kGet, 44'000));
  EXPECT_EQ(ends(50, &put, &put), in_line(50, kPut, 74'000));
  // In the order of the ranks, since they began at one time: put, get, ...
  EXPECT_EQ(ends(3, &get, &put),
            (std::vector<Time>{kPut, kGet + 74'000, kPut + 74'000 + 44'000}));
  // Neither waits for the other.
  std::vector<Time> expected = in_line(10, kAtomic, 300'000);
  for (Time t : in_line(10, kGet, 44'000)) expected.push_back(t);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(ends(20, &add, &get), expected);
}

TEST(Interface, IsFreeAgainAfterTheGap) {
  with_words(on(3, kQueues), [](RemotePtr<Word> words) {
    for (Time later : {0, 100'000, 299'999, 300'000, 900'000}) {
      SCOPED_TRACE(later);
      rma::barrier();
      if (rma::rank() == 0) continue;
      if (rma::rank() == 2) wait_until(clock() + later);
      const Time waits =
          rma::rank() == 2 && later < 300'000 ? 300'000 - later : 0;
      EXPECT_EQ(took([&] { add(words.at(0)); }), kAtomic + waits);
    }
  });
}

TEST(Interface, ServesInTheOrderOfArrivalAndEachTargetByItself) {
  with_words(on(20, kQueues), [](RemotePtr<Word> words) {
    const auto r = static_cast<uint64_t>(rma::rank());
    EXPECT_EQ(took([&] { add(words.at((rma::rank() + 1) % 20)); }), kAtomic);
    rma::barrier();
    if (r == 0) return;
    // Rank r arrives r * 10 ns after rank 1, and finds r - 1 before it.
    wait_until(clock() + (r - 1) * 10'000);
    EXPECT_EQ(rma::fetch_add(words.at(0) + 1, 1), r - 1);
  });
}

TEST(Interface, QueuesNonBlockingOperationsOfOneRank) {
  constexpr Time kCount = 30;
  by_rank_0(on(2, kQueues), [](RemotePtr<Word> words) {
    std::array<uint64_t, kCount> before;
    const Time begin = clock();
    for (uint64_t& b : before) rma::fetch_add_nb(words.at(1), 1, &b);
    EXPECT_EQ(clock() - begin, kCount * 10'000) << "an overhead each";
    rma::flush(1);
    EXPECT_EQ(clock() - begin, kAtomic + (kCount - 1) * 300'000);
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(before[i], i);
  });
}

// Four ranks a node; a word takes an adapter 100 + 8 ns, an atomic its server
// 300.
constexpr char kNodes[] =
    "custom,latency=1us,node_latency=500ns,overhead=10ns,node_size=4,"
    "message=100ns,adapter_bandwidth=1";
constexpr Time kBetween = 10'000 + 2 * 1'000'000;
constexpr Time kWithin = 10'000 + 2 * 500'000;
constexpr Time kMessage = 108'000;

struct Task {
  int rank;
  Step step;
  int target;
  // Time after the others' begin.
  Time later = 0;
};

// The time of each task's step, in the order of tasks, with 16 ranks.
std::vector<Time> times(const std::string& machine,
                        const std::vector<Task>& tasks) {
  std::vector<Time> times(tasks.size());
  with_words(on(16, machine), [&](RemotePtr<Word> words) {
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      if (task.rank != rma::rank()) continue;
      wait_until(clock() + task.later);
      times[i] = took([&] { task.step(words.at(task.target)); });
    }
    rma::barrier();
  });
  return times;
}

void put_1000(RemotePtr<Word> at) {
  const std::vector<std::byte> bytes(1000);
  rma::put(bytes_of(at), bytes.data(), bytes.size());
  rma::flush(at.rank);
}

TEST(Adapter, TakesOneMessageAtATimeOfItsNodesRanks) {
  const std::vector<Time> one_by_one = in_line(3, kBetween, kMessage);
  EXPECT_EQ(times(kNodes, {{4, get, 0}, {8, get, 1}, {12, get, 2}}), one_by_one)
      << "to one node";
  EXPECT_EQ(times(kNodes, {{0, get, 4}, {1, get, 8}, {2, get, 12}}), one_by_one)
      << "from one node";
  EXPECT_EQ(times(kNodes, {{0, get, 4}, {1, get, 5}, {2, get, 6}}), one_by_one)
      << "from one to one";
  EXPECT_EQ(times(kNodes, {{4, add, 0}, {8, put, 1}, {12, get, 2}}), one_by_one)
      << "of all kinds";
  EXPECT_EQ(times(kNodes, {{0, get, 4}, {5, get, 8}, {9, get, 12}}),
            (std::vector<Time>{kBetween, kBetween + kMessage, kBetween}))
      << "the last waits for the second, which is late itself";
}

TEST(Adapter, IsBusyWithBytes) {
  EXPECT_EQ(times(kNodes, {{4, put_1000, 0}, {8, get, 1, 1}}),
            (std::vector<Time>{kBetween, kBetween + 100'000 + 1'000'000 - 1}));
}

TEST(Adapter, IsNotPassedWithinANode) {
  EXPECT_EQ(times(kNodes, {{0, get, 1}, {2, put, 3}, {1, add, 2}, {3, get, 3}}),
            std::vector<Time>(4, kWithin));
  EXPECT_EQ(times(kNodes, {{4, put_1000, 0}, {1, get, 0, 900'000}}),
            (std::vector<Time>{kBetween, kWithin}));
}

// Rank 5's get is held up at its own node, by rank 4's put. Operations that
// come to its target meanwhile do not wait for it.
TEST(Adapter, HoldsUpNobodyElsewhere) {
  const std::string machine = std::string(kNodes) + ",get=50ns";
  EXPECT_EQ(times(machine, {{4, put_1000, 12},
                            {5, get, 0, 1},
                            {8, get, 0, 2},
                            {1, get, 0, 1'000'000}}),
            (std::vector<Time>{kBetween, kBetween + 50'000 + 1'100'000 - 1,
                               kBetween + 50'000, kWithin + 50'000}));
}

// Fetch-and-adds to three ranks of a node.
TEST(AtomicServer, IsEachRanksOrTheNodes) {
  const std::vector<Task> tasks = {{4, add, 0}, {8, add, 1}, {12, add, 2}};
  const std::string machine =
      "custom,latency=1us,node_latency=500ns,overhead=10ns,node_size=4,"
      "atomic=300ns,node_atomic=50ns,atomic_server=";
  const Time alone = kBetween + 300'000;
  EXPECT_EQ(times(machine + "rank", tasks), std::vector<Time>(3, alone));
  EXPECT_EQ(times(machine + "node", tasks), in_line(3, alone, 300'000));
  // Atomics of the node's own ranks are done by processors, or go there, too.
  const std::vector<Task> mixed = {{4, add, 0}, {1, add, 0, 500'000}};
  EXPECT_EQ(times(machine + "node", mixed),
            (std::vector<Time>{alone, kWithin + 50'000}));
  EXPECT_EQ(times(machine + "node,node_atomic=adapter",
                  {{4, add, 0}, {1, add, 2}, {2, get, 3}}),
            (std::vector<Time>{alone + 300'000, alone, kWithin}));
}

// A byte takes a microsecond: a long transfer is on its way for a while.
constexpr char kSlow[] = "custom,bandwidth=0.001,latency=1us,node_size=1";
constexpr uint64_t kOnes = 0x0101010101010101;

TEST(Passing, GetsAndAtomicsPassAPutButForAFlushOfItsTarget) {
  by_rank_0(on(3, kSlow), [](RemotePtr<Word> words) {
    const std::vector<std::byte> ones(1000, std::byte{1});
    rma::put(bytes_of(words.at(1)), ones.data(), ones.size());
    EXPECT_EQ(rma::get_word(words.at(1)), 0u);
    rma::flush(2);
    EXPECT_EQ(rma::fetch_add(words.at(1), 5), 0u);
    rma::flush(1);
    EXPECT_EQ(rma::get_word(words.at(1)), kOnes) << "the put came after it";
    EXPECT_EQ(rma::fetch_add(words.at(1), 5), kOnes);
    EXPECT_EQ(rma::get_word(words.at(1)), kOnes + 5);
  });
}

// A put's buffer is tested by every put_word, a put_nb's by
// //tests/sim:litmus_test and //tests/rma.

// Also where there are more than are kept at first, so that completed ones are
// forgotten early.
TEST(Buffers, ResultsOfNonBlockingAtomicsComeWithTheFlush) {
  static constexpr size_t kMany = 1000;
  by_rank_0(on(3, "custom,node_size=1"), [](RemotePtr<Word> words) {
    const RemotePtr<Word> counter = words.at(1), goals = counter + 1;
    std::vector<uint64_t> before(kMany, 77777);
    for (size_t i = 0; i < kMany; ++i) {
      rma::put_word(goals + i, i);
      rma::fetch_add_nb(counter, 1, &before[i]);
      if (i % 3 == 0) rma::idle();
    }
    rma::compute(1'000'000);
    EXPECT_EQ(rma::get_word(counter), kMany) << "has long happened";
    rma::flush(2);
    EXPECT_THAT(before, testing::Each(77777u)) << "it was of another target";
    rma::flush(1);
    for (size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(rma::get_word(goals + i), i);
      EXPECT_EQ(before[i], i);
    }
  });
}

}  // namespace
}  // namespace magpie::sim_test
