// The time of each step of a rank alone on the network, to the picosecond.

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

TEST(Cost, NowIsTheClockInNanoseconds) {
  by_rank_0(on(2, "ito_a"), [&](auto words) {
    EXPECT_EQ(rma::now(), clock() / 1000);
    rma::get_word(words.at(1));
    EXPECT_EQ(rma::now(), clock() / 1000);
  });
}

TEST(Cost, OnlyTheInitiatorsPartUntilAFlush) {
  by_rank_0(on(3, "ito_a,node_size=1"), [&](auto words) {
    const std::vector<std::byte> buffer(kBig);
    const auto there = bytes_of(words.at(1));
    uint64_t before;
    const Time begin = clock();
    EXPECT_EQ(took([&] { rma::put(there, buffer.data(), kBig); }),
              net().overhead);
    EXPECT_EQ(took([&] { rma::put_nb(there, buffer.data(), kBig); }),
              net().overhead);
    EXPECT_EQ(took([&] { rma::fetch_add_nb(words.at(1), 1, &before); }),
              net().overhead);
    EXPECT_EQ(took([] { rma::flush(2); }), 0u) << "nothing is on its way there";
    EXPECT_EQ(took([] { rma::flush(0); }), 0u);
    rma::flush(1);
    // The second of two big ones arrives an overhead after the first, and
    // waits until the adapter and the interface have taken the first.
    EXPECT_EQ(clock() - begin,
              round_trip(1, net().puts, kBig) +
                  std::max(net().adapter.message, net().puts.gap) +
                  kBig * net().link_per_byte);
    EXPECT_EQ(took([] { rma::flush(1); }), 0u) << "all is complete";
    EXPECT_EQ(took([] { rma::flush_all(); }), 0u);
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
    EXPECT_EQ(took([&] { rma::get(&none, bytes_of(words.at(1)), 0); }), 0u);
    EXPECT_EQ(took([&] { rma::put(bytes_of(words.at(1)), &none, 0); }), 0u);
    EXPECT_EQ(took([&] { rma::put_nb(bytes_of(words.at(1)), &none, 0); }), 0u);
    EXPECT_EQ(took([] { rma::flush_all(); }), 0u);
    rma::Word& word = *words.local();
    EXPECT_EQ(took([&] { word.load(); }), rma::sim::kWordTime);
    EXPECT_EQ(took([&] { word.store(1); }), rma::sim::kWordTime);
    EXPECT_EQ(took([&] { word.store_relaxed(1); }), rma::sim::kWordTime);
    EXPECT_EQ(took([&] { rma::Word::fence(); }), rma::sim::kWordTime);
  });
}

// A dissemination over all ranks takes ceil(log2(ranks)) rounds, from the last
// rank's entry on, for all of them.
void expect_cost_of_collectives(int ranks, const char* machine, Time rounds) {
  simulate(on(ranks, machine), [&] {
    const Path& path =
        net().node_size == 1 ? net().between_nodes : net().within_node;
    const auto cost = [&](size_t bytes) {
      return rounds * (net().overhead + path.latency + bytes * path.per_byte);
    };
    std::array<uint64_t, 5> data = {};
    EXPECT_EQ(took([] { rma::barrier(); }), cost(0));
    EXPECT_EQ(took([&] { rma::broadcast(&data, sizeof(data), 0); }),
              cost(sizeof(data)));
    EXPECT_EQ(took([&] {
                rma::reduce(data.data(), data.size(), rma::Reduction::kSum);
              }),
              cost(sizeof(data)));
    const Time last = static_cast<Time>(ranks - 1) * 1'000'000;
    for (int earliest : {0, ranks - 1}) {
      const Time begin = clock();
      const auto later = std::abs(rma::rank() - earliest);
      rma::compute(1000 * static_cast<uint64_t>(later));
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

TEST(Cost, RanksFillNodes) {
  simulate(on(7, "ito_a,node_size=3"), [] {
    for (int r = 0; r < 7; ++r) EXPECT_EQ(rma::node_of(r), r / 3);
  });
}

}  // namespace
}  // namespace magpie::sim_test
