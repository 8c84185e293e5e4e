// The time of each step of a rank, to the picosecond: alone on the network, and
// where operations meet at one target's interface, or on the way of each other.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "common/stealing/remote_lock.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using rma::sim::Interface;
using rma::sim::Network;
using rma::sim::parse_network;
using rma::sim::Path;

constexpr size_t kBig = kWords * sizeof(rma::Word);

// The network of the simulation that runs.
const Network& net() { return rma::sim::engine->net(); }

// The model of network.h, written down once more, for rank 0.
Time round_trip(int target, const Interface& interface, size_t bytes,
                bool through_adapters = false) {
  const bool in_memory = target / net().node_size == 0 && !through_adapters;
  Path path = in_memory ? net().within_node : net().between_nodes;
  if (!in_memory) path.latency = net().latency_without_hops();
  // The other nodes of these tests are its neighbours.
  if (target / net().node_size > 0 && net().measured_nodes > 0)
    path.latency += net().hop;
  return net().overhead + path.latency + bytes * path.per_byte +
         interface.service + path.latency;
}
Time atomic_round_trip(int target) {
  const bool by_processors =
      target / net().node_size == 0 && net().node_atomics.has_value();
  return by_processors ? round_trip(target, *net().node_atomics, 8)
                       : round_trip(target, net().atomics, 8, true);
}

// Ranks on one node, except the last one.
class PresetTest : public testing::TestWithParam<std::string> {
 protected:
  const int far_ = std::min(parse_network(GetParam()).node_size, 100);
  const rma::sim::Options machine_ = on(far_ + 1, GetParam());
};

TEST_P(PresetTest, EveryOperationCostsWhatTheModelSays) {
  by_rank_0(machine_, [&](auto words) {
    std::vector<std::byte> buffer(kBig);
    for (int target : {0, std::min(1, far_ - 1), far_}) {
      const rma::RemotePtr<rma::Word> word = words.at(target);
      const auto there = bytes_of(word);
      const auto costs = [&](Time expected, const auto& step) {
        EXPECT_EQ(took(step), expected) << "at rank " << target;
        // Then no step finds the target busy with the one before.
        rma::compute(1'000'000);
      };
      for (size_t bytes : {size_t{1}, size_t{8}, size_t{100}, kBig}) {
        SCOPED_TRACE(bytes);
        costs(round_trip(target, net().gets, bytes),
              [&] { rma::get(buffer.data(), there, bytes); });
        costs(round_trip(target, net().puts, bytes), [&] {
          rma::put(there, buffer.data(), bytes);
          rma::flush(target);
        });
        costs(round_trip(target, net().puts, bytes), [&] {
          rma::put_nb(there, buffer.data(), bytes);
          rma::flush_all();
        });
      }
      const Time atomic = atomic_round_trip(target);
      costs(atomic, [&] { rma::fetch_add(word, 1); });
      costs(atomic, [&] { rma::swap(word, 1); });
      costs(atomic, [&] {
        rma::fetch_add_nb(word, 1, nullptr);
        rma::flush(target);
      });
    }
  });
}

const rma::Cost kNode("uts_node");
const rma::Cost kJoin("join");
const rma::Cost kNobodys("nobodys");

void expect_cost(const rma::Cost& cost, Time unit) {
  EXPECT_EQ(took([&] { rma::charge(cost); }), unit);
  EXPECT_EQ(took([&] { rma::charge(cost, 1234); }), 1234 * unit);
}

TEST_P(PresetTest, WorkCostsWhatTheMachineSays) {
  by_rank_0(machine_, [&](auto) {
    expect_cost(kNode, net().cost_of("uts_node"));
    EXPECT_GT(net().cost_of("uts_node"), 0u);
    expect_cost(kJoin, net().cost_of("join"));
    expect_cost(kNobodys, 0);
    EXPECT_EQ(took([] { rma::compute(77); }), 77 * rma::sim::kNanosecond);
    EXPECT_EQ(took([] { rma::idle(); }), net().idle);
    EXPECT_EQ(took([] { rma::idle(17); }), 17 * net().idle);
    EXPECT_EQ(took([] { rma::rest(77); }), 77 * rma::sim::kNanosecond);
    EXPECT_EQ(took([] { rma::poll(); }), 0u);
    EXPECT_EQ(rma::now(), clock() / 1000);
  });
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Network& preset : rma::sim::presets())
    names.push_back(preset.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, PresetTest, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(CostDeathTest, DefinedTooLate) {
  const auto late = [] {
    by_rank_0(on(2, "ito_a"), [](auto) {
      static const rma::Cost cost("late");
      rma::charge(cost);
    });
  };
  EXPECT_EXIT(late(), testing::ExitedWithCode(1), "at namespace scope");
}

TEST(Cost, OnlyTheInitiatorsPartUntilAFlush) {
  by_rank_0(on(3, "ito_a,node_size=1"), [&](auto words) {
    const std::vector<std::byte> buffer(kBig);
    const Time begin = clock();
    rma::put(bytes_of(words.at(1)), buffer.data(), kBig);
    rma::put_nb(bytes_of(words.at(1)), buffer.data(), kBig);
    rma::fetch_add_nb(words.at(1), 1, nullptr);
    EXPECT_EQ(clock() - begin, 3 * net().overhead);
    EXPECT_EQ(took([] { rma::flush(2); }), 0u) << "nothing is on its way there";
    rma::flush(1);
    // The second of two big ones arrives an overhead after the first, and
    // waits until the adapter and the interface have taken the first.
    EXPECT_EQ(clock() - begin,
              round_trip(1, net().puts, kBig) +
                  std::max(net().adapter.message, net().puts.gap) +
                  kBig * net().link_per_byte);
    EXPECT_EQ(took([] { rma::flush_all(); }), 0u) << "all is complete";
  });
}

// A flush also waits for the way back: with slow answers the put has taken
// effect after a while, and the initiator does not know yet.
TEST(Cost, FlushWaitsForWhatIsLeftOfTheWay) {
  for (const char* machine :
       {"ito_a,node_size=1", "ito_a,node_size=1,put=20us"}) {
    by_rank_0(on(2, machine), [&](auto words) {
      for (uint64_t work : {0, 1'000, 10'000, 100'000}) {
        const Time begin = clock();
        rma::put_word(words.at(1), 1);
        rma::compute(work);
        words.local()->load();
        const Time until = clock();
        rma::flush(1);
        EXPECT_EQ(clock(),
                  std::max(until, begin + round_trip(1, net().puts, 8)));
        rma::compute(100'000);
      }
    });
  }
}

// That which is issued first comes last, from the other node.
TEST(Cost, GetsThatDoNotWaitAreOnTheirWayTogether) {
  by_rank_0(on(3, "ito_a,node_size=2"), [&](auto words) {
    std::array<uint64_t, 2> got = {};
    rma::fetch_add(words.at(2), 7);
    const Time begin = clock();
    for (int i : {0, 1})
      rma::get_nb(&got[i], bytes_of(words.at(2 - i)), sizeof(uint64_t));
    EXPECT_EQ(clock() - begin, 2 * net().overhead);
    rma::flush_all();
    EXPECT_EQ(clock() - begin, round_trip(2, net().gets, 8));
    EXPECT_EQ(got, (std::array<uint64_t, 2>{7, 0}));
  });
}

TEST(Cost, NothingForNothingAndNextToNothingForAWord) {
  by_rank_0(on(2, "ito_a"), [&](auto words) {
    std::byte none;
    const auto there = bytes_of(words.at(1));
    EXPECT_EQ(took([&] {
                rma::get(&none, there, 0);
                rma::put(there, &none, 0);
                rma::put_nb(there, &none, 0);
                rma::flush_all();
              }),
              0u);
    Word& word = *words.local();
    EXPECT_EQ(took([&] { word.load(); }), rma::sim::kWordTime);
    EXPECT_EQ(took([&] { word.store(1); }), rma::sim::kWordTime);
    EXPECT_EQ(took([&] { word.store_relaxed(1); }), rma::sim::kWordTime);
    EXPECT_EQ(took(Word::fence), rma::sim::kWordTime);
  });
}

// A dissemination over all ranks takes ceil(log2(ranks)) rounds, from the last
// rank's entry on, for all of them.
void expect_cost_of_collectives(int ranks, const char* machine, Time rounds) {
  simulate(on(ranks, machine), [&] {
    EXPECT_EQ(rma::node_of(ranks - 1), (ranks - 1) / net().node_size);
    const Path& path =
        net().node_size == 1 ? net().between_nodes : net().within_node;
    const auto cost = [&](size_t bytes) {
      return rounds * (net().overhead + path.latency + bytes * path.per_byte);
    };
    uint64_t data[5] = {};
    const auto reduce = [&] { rma::reduce(data, 5, rma::Reduction::kSum); };
    EXPECT_EQ(took(rma::barrier), cost(0));
    EXPECT_EQ(took([&] { rma::broadcast(data, 40, 0); }), cost(40));
    EXPECT_EQ(took(reduce), cost(40));
    const Time last = static_cast<Time>(ranks - 1) * 1'000'000;
    for (int earliest : {0, ranks - 1}) {
      const Time begin = clock();
      rma::compute(1000ul * std::abs(rma::rank() - earliest));
      rma::barrier();
      EXPECT_EQ(clock() - begin, last + cost(0));
    }
  });
}

TEST(Cost, Collectives) {
  const std::map<int, Time> rounds_of = {{1, 0}, {2, 1}, {3, 2}, {4, 2},
                                         {5, 3}, {8, 3}, {9, 4}, {48, 6}};
  for (const auto& [ranks, rounds] : rounds_of) {
    SCOPED_TRACE(ranks);
    expect_cost_of_collectives(ranks, "wisteria_o,node_size=1", rounds);
    expect_cost_of_collectives(ranks, "wisteria_o", rounds);
  }
}

// A lock is let go by an atomic, or by a put where the network allows that.
TEST(Cost, AnUnlockIsAPutWherePutsAreAtomic) {
  for (const bool atomic : {false, true}) {
    const std::string machine = "fx10,node_size=1";
    by_rank_0(
        on(2, atomic ? machine + ",writes=atomic" : machine), [&](auto words) {
          lock(words.at(1));
          EXPECT_EQ(
              took([&] { unlock(words.at(1), 7); }),
              atomic ? round_trip(1, net().puts, 8) : atomic_round_trip(1));
          uint32_t left = 0;
          EXPECT_TRUE(try_lock(words.at(1), &left));
          EXPECT_EQ(left, 7u);
        });
  }
}

// -------------------------------------------------- operations that meet

// An atomic there takes 300 ns of the interface, a get 40 + 8 / 2, a put 70 +
// 8 / 2; ranks are alone on their nodes.
constexpr char kQueues[] =
    "custom,latency=1us,bandwidth=1,link_bandwidth=2,overhead=10ns,"
    "atomic=300ns,get=40ns,put=70ns,node_size=1";
// Time of the way to the target.
constexpr Time kWay = 10'000 + 1'000'000 + 8'000;

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

using Step = void (*)(RemotePtr<Word> at);
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
      times[i] = took([&] { task.step(words.at(task.target) + i); });
    }
    rma::barrier();
  });
  return times;
}

// Steps to rank 0 of `ranks` ranks, all at once.
std::vector<Task> all(int ranks, Step even, Step odd) {
  std::vector<Task> tasks;
  for (int r = 1; r <= ranks; ++r)
    tasks.push_back({r, r % 2 == 0 ? even : odd, 0});
  return tasks;
}

// In the order of the ranks, since they begin at one time; for any words.
TEST(Interface, ServesOneAtomicAndOneTransferAtATime) {
  const auto of = [](const auto& tasks) { return times(kQueues, tasks); };
  EXPECT_EQ(of(all(15, add, swap)), in_line(15, kAtomic, 300'000));
  EXPECT_EQ(of(all(15, get, get)), in_line(15, kGet, 44'000));
  EXPECT_EQ(of(all(15, put, put)), in_line(15, kPut, 74'000));
  EXPECT_EQ(of(all(3, get, put)),
            (std::vector<Time>{kPut, kGet + 74'000, kPut + 74'000 + 44'000}));
  // It is free again after the gap.
  EXPECT_EQ(of(std::vector<Task>{{1, add, 0}, {2, add, 0, 299'999}}),
            (std::vector<Time>{kAtomic, kAtomic + 1}));
  EXPECT_EQ(of(std::vector<Task>{{1, add, 0}, {2, add, 0, 300'000}}),
            (std::vector<Time>{kAtomic, kAtomic}));
  // Neither waits for the other.
  EXPECT_EQ(
      of(all(4, add, get)),
      (std::vector<Time>{kGet, kAtomic, kGet + 44'000, kAtomic + 300'000}));
}

// Four ranks a node; a word takes an adapter 100 + 8 ns, an atomic its server
// 300.
constexpr char kNodes[] =
    "custom,latency=1us,node_latency=500ns,overhead=10ns,node_size=4,"
    "message=100ns,adapter_bandwidth=1";
constexpr Time kBetween = 10'000 + 2 * 1'000'000;
constexpr Time kWithin = 10'000 + 2 * 500'000;
constexpr Time kMessage = 108'000;

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
TEST(Passing, GetsAndAtomicsPassAPutButForAFlushOfItsTarget) {
  static constexpr uint64_t kOnes = 0x0101010101010101;
  by_rank_0(on(3, "custom,bandwidth=0.001,latency=1us,node_size=1"),
            [](RemotePtr<Word> words) {
              const std::vector<std::byte> ones(1000, std::byte{1});
              rma::put(bytes_of(words.at(1)), ones.data(), ones.size());
              EXPECT_EQ(rma::get_word(words.at(1)), 0u);
              rma::flush(2);
              EXPECT_EQ(rma::fetch_add(words.at(1), 5), 0u);
              rma::flush(1);
              EXPECT_EQ(rma::get_word(words.at(1)), kOnes);
            });
}

TEST(Buffers, ResultsOfNonBlockingAtomicsComeWithTheFlush) {
  by_rank_0(on(3, "custom,node_size=1"), [](RemotePtr<Word> words) {
    uint64_t before = 7;
    rma::fetch_add_nb(words.at(1), 1, &before);
    rma::compute(1'000'000);
    EXPECT_EQ(rma::get_word(words.at(1)), 1u) << "has long happened";
    rma::flush(2);
    EXPECT_EQ(before, 7u) << "it was of another target";
    rma::flush(1);
    EXPECT_EQ(before, 0u);
  });
}

}  // namespace
}  // namespace magpie::sim_test
