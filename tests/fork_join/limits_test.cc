// Runtimes seen through their reports: races that must occur, memory that must
// be used again, operations that must not happen, joins that will never end.
// See conformance_test.cc for the rest.

#include <string>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

// ------------------------------- continuation stealing with greedy join

// A thread joins a thread that is known to wait until the joining thread's rank
// has turned to other work: the joined thread comes second.
TEST(GreedyRaces, JoinedThreadLoses) {
  const Result result =
      run_well("--scenario=ancestor_in_region --n=20 --ranks=2");
  EXPECT_GE(number(result, "die_losers"), 20u);
}

// The joined thread ends between the other's look at the entry and its own
// announcement there, while the other copies its frames.
TEST(GreedyRaces, JoiningThreadLoses) {
  constexpr int kRuns = 60;
  for (int i = 0; i < kRuns; ++i) {
    const Result result = run_well(absl::StrCat(
        "--scenario=close_joins --n=30 --ranks=2 --victim_seed=", i));
    if (number(result, "join_losers") > 0 || HasFailure()) return;
  }
  FAIL() << "in " << kRuns << " runs of 30 joins, with a window of the time "
         << "that 2 MiB take to copy, no joining thread lost its race: the "
         << "path is not tested";
}

// A million entries; a tenth of that in a simulation.
TEST(GreedyRecycling, ManyEntriesInATinyArena) {
  const std::string n = has_flag("--net") ? " --n=100000" : " --n=1000000";
  run_well("--scenario=in_a_row --entry_bytes=1K --ranks=1" + n);
  run_well("--scenario=in_a_row --entry_bytes=64K --ranks=2" + n);
  run_well(
      "--scenario=rows --grain=1000 --entry_bytes=64K "
      "--evacuation_bytes=64K --ranks=4" +
      n);
}

// Of these futures three in four have several consumers.
TEST(GreedyRecycling, SharedFuturesInATinyArena) {
  for (const int ranks : {1, 2, 4}) {
    const Result result = run_well(absl::StrCat(
        "--scenario=shared --n=", 7500,
        " --entry_bytes=64K --evacuation_bytes=64K --ranks=", ranks));
    EXPECT_GT(number(result, "spawns"), 100000u);
  }
}

// There are many entries that another rank frees, evacuated threads, and chains
// of waiting threads.
TEST(GreedyRecycling, AcrossRanksInATinyArena) {
  for (const auto& [flags, counter, more_than] :
       {std::tuple{"in_a_row --n=20000 --entry_bytes=1K --evacuation_bytes=4K "
                   "--forced_steal",
                   "rma.fetch_add_nb", 5000u},
        {"ancestor_in_region --n=3000 --evacuation_bytes=4K",
         "outstanding_joins", 1000u},
        {"many_waiting --n=50 --evacuation_bytes=1M", "outstanding_joins",
         5000u}}) {
    const Result result =
        run_well(absl::StrCat("--ranks=3 --scenario=", flags));
    EXPECT_GT(number(result, counter), more_than) << result.output;
  }
}

TEST(GreedyExhausted, Evacuation) {
  const char* flags =
      "--scenario=many_waiting --n=1 --evacuation_bytes=4K --ranks=2";
  expect_told(flags, run(flags), "raise --evacuation_bytes");
}

// With one rank every join is on the fast path. What remains is the root's end:
// its result, and the news; and with a split queue, the owner's swaps that move
// the split: a few for each level.
TEST(GreedyCommunication, FastPathHasNone) {
  for (const int n : {1, 20}) {
    const Result result =
        run_well(absl::StrCat("--scenario=fib --ranks=1 --n=", n));
    EXPECT_EQ(number(result, "rma.put"), 1u);
    EXPECT_EQ(number(result, "rma.fetch_add"), 1u);
    for (const char* kind : {"get", "put_nb", "fetch_add_nb"}) {
      EXPECT_EQ(number(result, absl::StrCat("rma.", kind)), 0u) << kind;
    }
    const bool is_split = absl::StrContains(command(""), "/cont_greedy_sws");
    EXPECT_LE(number(result, "rma.swap"),
              is_split ? 2u * static_cast<unsigned>(n) : 0u);
  }
}

// Every join that found the joined thread running is lost by one side or the
// other, or won and resumed by the one that came last. Of several consumers all
// but one wait until they are ready and a rank has time for them.
TEST(GreedyCommunication, JoinsAreResumedOnce) {
  for (const char* scenario :
       {"fib --n=14 --forced_steal", "all_wait --n=20"}) {
    for (int seed = 0; seed < 5; ++seed) {
      const Result result = run_well(absl::StrCat(
          "--scenario=", scenario, " --ranks=3 --victim_seed=", seed));
      EXPECT_EQ(number(result, "outstanding_joins"),
                number(result, "join_losers") + number(result, "die_losers") +
                    number(result, "ready_threads_here") +
                    number(result, "ready_threads_stolen"));
      EXPECT_GT(number(result, "die_losers"), 0u);
    }
  }
}

// A continuation is outstanding from when the second side of its join arrives.
// Where that is the joined thread, this takes its fetch_add, a get of the
// joiner's place and a get of its frames; else the fetch_add. All else costs
// next to nothing on this machine. Over sim only.
TEST(GreedyTimes, OutstandingFromWhenBothHaveArrived) {
  constexpr uint64_t kRoundTrip = 2000;
  uint64_t all_joined = 0, all_joining = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const Result result = run_well(absl::StrCat(
        "--scenario=fib --n=14 --forced_steal --ranks=8 --victim_seed=", seed,
        " --net=ideal,latency=1us,node_latency=1us"));
    const uint64_t joined = number(result, "die_losers"),
                   joining = number(result, "join_losers");
    const uint64_t least = (3 * joined + joining) * kRoundTrip;
    EXPECT_GE(number(result, "outstanding_join_ns"), least);
    EXPECT_LE(number(result, "outstanding_join_ns"), least + least / 100);
    // Losers' time counts from after the fetch_add.
    const uint64_t told = 2 * joined * kRoundTrip;
    EXPECT_GE(number(result, "die_losers_ns"), told);
    EXPECT_LE(number(result, "die_losers_ns"), told + told / 100);
    all_joined += joined;
    all_joining += joining;
  }
  EXPECT_GT(all_joined, 0u);
  EXPECT_GT(all_joining, 0u);
}

// ------------------------------------------------------- child stealing

constexpr const char* kOperations[] = {
    "get", "put", "fetch_add", "swap", "put_nb", "fetch_add_nb", "flush"};

// With one rank every task is run by its own join. What remains is the run's
// end, which costs the same with one task as with 10,945.
TEST(ChildCommunication, NoneWhereNothingIsStolen) {
  const Result one = run_well("--scenario=fib --ranks=1 --n=2");
  const Result many = run_well("--scenario=fib --ranks=1 --n=20");
  for (const char* operation : kOperations) {
    const std::string name = absl::StrCat("rma.", operation);
    EXPECT_EQ(number(many, name), number(one, name)) << name;
    EXPECT_LE(number(one, name), 8u) << name;
  }
}

// A stolen task's result and the time of its end travel by a put_nb each; where
// joins are buried, also the rank that runs it.
TEST(ChildCommunication, OfAStolenTask) {
  const Result result =
      run_well("--scenario=fib --n=14 --forced_steal --ranks=3");
  const uint64_t steals = number(result, "steals_ok");
  EXPECT_GT(steals, 0u);
  EXPECT_EQ(number(result, "rma.put_nb"),
            steals * (joins_are_buried() ? 3 : 2));
  EXPECT_EQ(number(result, "stolen_bytes"), steals * 64);
  EXPECT_LE(number(result, "outstanding_joins"), steals);
}

// A closure of more than 40 bytes comes by a get of its own.
TEST(ChildCommunication, OfALargeClosure) {
  const Result large = run_well(
      "--scenario=large --n=3 --forced_steal --ranks=2 --stack_bytes=8M");
  EXPECT_GT(number(large, "steals_ok"), 0u);
  EXPECT_GT(number(large, "stolen_bytes"), number(large, "steals_ok") * 20000);
}

TEST(ChildRecycling, ManyTasksInATinyArena) {
  run_well("--scenario=in_a_row --n=100000 --entry_bytes=1K --ranks=1");
  run_well("--scenario=in_a_row --n=100000 --entry_bytes=64K --ranks=2");
  run_well(
      "--scenario=rows --n=100000 --grain=1000 --entry_bytes=64K --ranks=4");
}

// Tasks that nobody joins.
TEST(ChildRecycling, DiscardedOnes) {
  run_well("--scenario=discard --n=20000 --entry_bytes=8M --ranks=1");
  run_well("--scenario=discard --n=2000 --entry_bytes=8M --ranks=3");
}

// More tasks than the queue holds are run at once.
TEST(ChildRecycling, ATinyQueue) {
  for (const char* ranks : {" --ranks=1", " --ranks=3"}) {
    run_well(absl::StrCat("--scenario=some --queue_bytes=1K", ranks));
    run_well(
        absl::StrCat("--scenario=any_order --n=50 --queue_bytes=1K", ranks));
    run_well(absl::StrCat("--scenario=fib --n=16 --queue_bytes=1K", ranks));
  }
}

// The stack of a task is that of the one that has ended last.
TEST(ChildRecycling, Stacks) {
  const Result result = run_well("--scenario=in_a_row --n=100000 --ranks=1");
  EXPECT_EQ(number(result, "stacks_max"), joins_are_buried() ? 1u : 2u);
}

TEST(ChildForEver, AloneWithATaskThatJoinsItself) {
  for (int n : {1, 3}) {
    const std::string flags = absl::StrCat("--scenario=ring --ranks=1 --n=", n);
    expect_told(flags, run(flags), "deadlock: ");
  }
}

TEST(ChildForEver, TasksBuriedUnderEachOther) {
  if (!joins_are_buried()) GTEST_SKIP() << "joins are not buried";
  for (int ranks = 2; ranks <= 5; ++ranks) {
    for (int n = 1; n <= 5; ++n) {
      const std::string flags =
          absl::StrCat("--scenario=ring --n=", n, " --ranks=", ranks);
      expect_told(flags, run(flags), "joins one that is buried under it");
    }
  }
}

// A join is outstanding from when both sides have arrived until the waiting
// task goes on: at least until it is looked at next. Over sim only.
TEST(ChildTimes, OutstandingFromWhenBothHaveArrived) {
  // The tasks joined take a millisecond and more, and nobody has anything else.
  const Result result = run_well(
      "--scenario=fib --n=3 --forced_steal --ranks=2 "
      "--net=ideal,latency=1us,node_latency=1us,spawn=1ms");
  const uint64_t joins = number(result, "outstanding_joins");
  EXPECT_EQ(joins, 2u);
  // Each join takes the result, the flag and the next look.
  const uint64_t nanoseconds = number(result, "outstanding_join_ns");
  EXPECT_GE(nanoseconds, joins * 3'000);
  EXPECT_LE(nanoseconds, joins * 20'000);
}

}  // namespace
}  // namespace magpie::conformance
