#include "common/rma/sim/machine/network.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace magpie::rma::sim {
namespace {

TEST(ParseNetwork, FindsEveryPreset) {
  for (const Network& preset : presets()) {
    const Network net = parse_network(preset.name);
    EXPECT_EQ(net.name, preset.name);
    EXPECT_EQ(net.overhead, preset.overhead);
    EXPECT_EQ(net.between_nodes.latency, preset.between_nodes.latency);
    EXPECT_EQ(net.cost, preset.cost);
  }
}

// Everything that the keys can change.
std::vector<Time> numbers(const Network& n) {
  return {n.between_nodes.latency,
          n.within_node.latency,
          n.between_nodes.per_byte,
          n.within_node.per_byte,
          static_cast<Time>(n.node_size),
          n.overhead,
          n.gets.gap,
          n.gets.service,
          n.puts.gap,
          n.puts.service,
          n.atomics.gap,
          n.atomics.service,
          n.idle,
          n.cost[0],
          n.cost[1],
          n.cost[2],
          n.cost[3],
          n.cost[4]};
}

// Each key changes what it says, and nothing else.
TEST(ParseNetwork, EveryKey) {
  struct Case {
    const char* setting;
    std::vector<size_t> where;  // in numbers()
    Time value;
  };
  const Network before = parse_network("lotus");
  for (const auto& [setting, where, value] :
       std::vector<Case>{{"latency=2us", {0}, 2'000'000},
                         {"node_latency=1.5us", {1}, 1'500'000},
                         {"bandwidth=12.5", {2}, 80},
                         {"bandwidth=5", {2}, 200},
                         {"node_bandwidth=0.001", {3}, 1'000'000},
                         {"node_size=7", {4}, 7},
                         {"overhead=10ns", {5}, 10'000},
                         {"get=0.25ns", {6, 7}, 250},
                         {"put=1s", {8, 9}, 1'000'000'000'000},
                         {"atomic=0s", {10, 11}, 0},
                         {"idle=3ms", {12}, 3'000'000'000},
                         {"spawn=1ns", {13}, 1'000},
                         {"join=2ns", {14}, 2'000},
                         {"context_switch=3ns", {15}, 3'000},
                         {"copy_byte=0.5ns", {16}, 500},
                         {"node=10s", {17}, 10'000'000'000'000}}) {
    const Network after = parse_network(std::string("lotus,") + setting);
    std::vector<Time> expected = numbers(before);
    for (size_t i : where) expected[i] = value;
    EXPECT_EQ(numbers(after), expected) << setting;
    EXPECT_EQ(after.name, std::string("lotus,") + setting);
  }
}

TEST(ParseNetwork, ManyChangesAndTheLastOfTwo) {
  const Network net =
      parse_network("ito_a,latency=1us,node_size=2,latency=3us");
  EXPECT_EQ(net.between_nodes.latency, 3'000'000u);
  EXPECT_EQ(net.node_size, 2);
}

TEST(ParseNetwork, CustomBeginsWithIdeal) {
  EXPECT_EQ(numbers(parse_network("custom")), numbers(parse_network("ideal")));
  EXPECT_EQ(parse_network("custom").name, "custom");
}

// Virtual time goes on whatever the flags say.
TEST(ParseNetwork, NoLoopIsTimeless) {
  const Network net =
      parse_network("custom,latency=0s,node_latency=0s,idle=0s");
  EXPECT_GT(net.idle, 0u);
  EXPECT_GT(net.between_nodes.latency, 0u);
  EXPECT_GT(net.within_node.latency, 0u);
}

TEST(ParseNetwork, ThrowsInWords) {
  for (const auto& [text, words] :
       std::vector<std::pair<std::string, std::string>>{
           {"nowhere", "nowhere is not one of " + network_names()},
           {"ito_a,speed=1", "speed is not one of " + network_keys()},
           {"ito_a,latency=1",
            "latency=1 is not a time from 0 to 10s, as in 1.5us"},
           {"fx10,node_size=0",
            "node_size=0 is not a number of ranks, at least 1"}}) {
    try {
      parse_network(text);
      ADD_FAILURE() << text << " is taken";
    } catch (const CLI::ValidationError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what();
    }
  }
}

TEST(Network, NamesAndKeysAreComplete) {
  for (const Network& preset : presets())
    EXPECT_NE(network_names().find(preset.name), std::string::npos);
  for (const char* key :
       {"latency", "node_latency", "bandwidth", "node_bandwidth", "node_size",
        "overhead", "get", "put", "atomic", "idle", "spawn", "join",
        "context_switch", "copy_byte", "node"})
    EXPECT_NE((", " + network_keys() + ",").find(std::string(" ") + key + ","),
              std::string::npos)
        << key;
}

// The shortest way is the shortest of all pairs' ways.
TEST(Network, ShortestWay) {
  for (const char* text :
       {"ito_a", "ito_a,node_size=1", "ito_a,node_size=3", "ideal", "loopback",
        "ito_a,node_size=3,latency=10ns", "custom,overhead=5ns,node_size=2"}) {
    const Network net = parse_network(text);
    for (int ranks : {2, 3, 4, 36, 37}) {
      Time shortest = kNever;
      for (int a = 0; a < ranks; ++a) {
        for (int b = 0; b < ranks; ++b) {
          if (a != b)
            shortest =
                std::min(shortest, net.overhead + net.path(a, b).latency);
        }
      }
      EXPECT_EQ(net.shortest_way(ranks), shortest)
          << text << " with " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace magpie::rma::sim
