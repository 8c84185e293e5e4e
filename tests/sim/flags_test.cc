// The simulator's flags: what they set, and the one line that says what is
// wrong with one.

#include "common/flags/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::sim::MemoryModel;
using rma::sim::Network;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::MatchesRegex;

rma::sim::Options parse(std::vector<std::string> arguments) {
  flags::App app("test");
  rma::add_options(app);
  flags::parse_rest_or_exit(app, std::move(arguments));
  return rma::sim::options;
}

void launch(std::vector<std::string> arguments,
            const rma::SegmentLayout& layout = kLayout) {
  parse(std::move(arguments));
  rma::launch(
      layout, [](void*) { return 0; }, nullptr);
}

// Defaults are not what another parser has set.
TEST(Flags, HaveDefaults) {
  parse({"--ranks=9", "--explore", "--memory=tso", "--net=fx10", "--log",
         "--rank_stack_bytes=1M"});
  const rma::sim::Options options = parse({});
  EXPECT_EQ(options.ranks, 4);
  EXPECT_EQ(options.net.name, "loopback");
  EXPECT_FALSE(options.explore);
  EXPECT_EQ(options.memory, MemoryModel::kSc);
  EXPECT_EQ(options.log, "");
  EXPECT_EQ(options.stack_bytes, 256u << 10);
}

TEST(Flags, Set) {
  const rma::sim::Options options =
      parse({"--ranks=9", "--net=fx10,latency=7us", "--explore", "--seed=5",
             "--memory=pso", "--log=some_file", "--sim_stats",
             "--rank_stack_bytes=1M", "--patience=0.25", "--jobs=3"});
  EXPECT_EQ(options.ranks, 9);
  EXPECT_EQ(options.net.name, "fx10,latency=7us");
  EXPECT_TRUE(options.explore);
  EXPECT_EQ(options.seed, 5u);
  EXPECT_EQ(options.memory, MemoryModel::kPso);
  EXPECT_EQ(options.log, "some_file");
  EXPECT_TRUE(options.stats);
  EXPECT_EQ(options.stack_bytes, 1u << 20);
  EXPECT_EQ(options.patience, 0.25);
  EXPECT_EQ(options.jobs, 3);
}

TEST(Flags, OtherForms) {
  EXPECT_EQ(parse({"--log"}).log, "-");
  EXPECT_EQ(parse({"--log", "--ranks", "3"}).ranks, 3);
  EXPECT_EQ(parse({"--explore", "--memory", "tso"}).memory, MemoryModel::kTso);
  EXPECT_EQ(parse({"--explore", "--seeds", "3..10"}).seeds, "3..10");
}

TEST(FlagsDeathTest, BadInputIsOneLineAndStatus2) {
  constexpr char kKeys[] =
      " is not one of latency, node_latency, bandwidth, node_bandwidth, "
      "link_bandwidth, adapter_bandwidth, message, node_size, topology, hop, "
      "overhead, get, put, atomic, node_atomic, atomic_server, fetch_add, "
      "poll, writes, idle, bc_edge, context_switch, copy_byte, join, "
      "lcs_element, "
      "spawn, task_stack, tsp_node, uts_node";
  const std::string names =
      " is not one of ito_a, wisteria_o, fx10, tsubame25, lotus, kassel, "
      "loopback, ideal, custom";
  const std::string time =
      " is not a time from 0 to 10s, as in 1.5us, or a percentage from 1 to "
      "1000, as in 120%";
  const std::string topology =
      " is not one of none, torus, torus:AxB\\.\\.\\. with up to 6 sides from "
      "1 to 1024, tofu, tofu:AxBxC, tree:N with N from 2 to 1024";
  // Arguments, and a regular expression for the one line.
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--net=ito_b"}, "--net.*ito_b" + names},
      {{"--net="}, "--net: no value; allowed: NAME.*"},
      {{"--net=,latency=1us"}, "--net.*" + names},
      {{"--net=ito_a,speed=3"}, "--net.*speed" + std::string(kKeys)},
      {{"--net=ito_a,"}, "--net.*" + std::string(kKeys)},
      {{"--net=ito_a,latency=2"}, "--net.*latency=2" + time},
      {{"--net=ito_a,latency=-2us"}, "--net.*latency=-2us" + time},
      {{"--net=ito_a,atomic=11s"}, "--net.*atomic=11s" + time},
      {{"--net=ito_a,latency=0%"}, "--net.*latency=0%" + time},
      {{"--net=ito_a,bandwidth=0"},
       "--net.*bandwidth=0 is not gigabytes a second, from 0.001 to 1000, or a "
       "percentage, as in 120%"},
      {{"--net=ito_a,bandwidth=nan"},
       "--net.*bandwidth=nan is not gigabytes.*"},
      {{"--net=ito_a,node_bandwidth=1001"}, "--net.*1001 is not gigabytes.*"},
      {{"--net=ito_a,node_atomic=host"},
       "--net.*node_atomic=host is not adapter, or" + time.substr(7)},
      {{"--net=ito_a,atomic_server="},
       "--net.*atomic_server= is not one of node, rank"},
      {{"--net=ito_a,fetch_add=am"},
       "--net.*fetch_add=am is not one of native, poll, thread"},
      {{"--net=ito_a,fetch_add=poll,atomic_server=node"},
       "--net.*atomic_server=node with fetch_add=poll, where each rank serves"},
      {{"--net=fx10,writes=torn"}, "--net.*writes=torn is not atomic"},
      {{"--net=ito_a,writes=atomic"},
       "--net.*writes=atomic on ito_a; allowed: on fx10 and tsubame25, .*"},
      {{"--net=ito_a,node_size=0"},
       "--net.*node_size=0 is not a number of ranks, at least 1"},
      {{"--net=ito_a,topology=ring"}, "--net.*topology=ring" + topology},
      {{"--net=ito_a,topology=torus:2x3,node_size=2", "--ranks=13"},
       "--net=ito_a,topology=torus:2x3,node_size=2: its topology has room for "
       "6 nodes; --ranks=13 takes 7"},
      {{"--ranks=0"}, "--ranks: 0 is not an integer from 1 to 1048576"},
      {{"--explore", "--seeds=5..3"}, "--seeds: .*5..3.*A..B.*A <= B"},
      {{"--explore", "--seeds=a..b"}, "--seeds: .*a..b.*A..B.*"},
      {{"--explore", "--seed=-1"}, "--seed: -1 is not an integer from 0 to .*"},
      {{"--explore", "--jobs=9999"},
       "--jobs: 9999 is not an integer from 0 to 1024"},
      {{"--explore", "--seconds_per_seed=0"},
       "--seconds_per_seed: 0 is not an integer from 1 to 86400"},
      {{"--explore", "--memory=x"}, "--memory: x is not one of sc, tso, pso"},
      {{"--explore", "--seed=3", "--seeds=3..5"},
       "--seed=3 with --seeds=3..5; allowed: one of the two"},
      {{"--seeds=3..5"}, "--seeds=3..5 needs --explore"},
      {{"--seed=3"}, "--seed=3 needs --explore"},
      {{"--memory=tso"}, "--memory.*need --explore"},
      {{"--rank_stack_bytes=1G"},
       "--rank_stack_bytes: 1G is not a size from 16K .*64M.*"},
      {{"--patience=0"}, "--patience: 0 is not a number from 1e-09 to 1e.06"},
      {{"--progress=-1"}, "--progress: -1 is not a number from 0 to 1e.06"},
      {{"--log=/no/such/folder/log"},
       "--log=/no/such/folder/log: No such file or directory"},
      {{"--log=/"}, "--log=/: Is a directory"},
  };
  for (const auto& [arguments, words] : refusals) {
    EXPECT_EXIT(launch(arguments), ExitedWithCode(2),
                MatchesRegex("magpie: " + words + "\n"))
        << testing::PrintToString(arguments);
  }
}

TEST(FlagsDeathTest, RanksThatDoNotFitIntoMemory) {
  // Two heaps of a terabyte would fit nowhere.
  EXPECT_EXIT(launch({"--ranks=1048576"}, {.heap_bytes = size_t{1} << 40}),
              ExitedWithCode(2), MatchesRegex("magpie: --ranks=1048576: .*\n"));
}

TEST(FlagsDeathTest, HelpNamesMachinesAndKeys) {
  const auto help = [] {
    // EXPECT_EXIT looks at standard error.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    parse({"--help"});
  };
  std::vector<testing::Matcher<const std::string&>> words = {
      HasSubstr("KEY=VALUE"), HasSubstr("node_size,")};
  for (const Network& net : rma::sim::presets())
    words.push_back(HasSubstr(net.name));
  EXPECT_EXIT(help(), ExitedWithCode(0), testing::AllOfArray(words));
}

}  // namespace
}  // namespace magpie::sim_test
