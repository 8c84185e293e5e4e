// Child stealing, seen through its reports: memory that must be used again,
// operations that must not happen, joins that will never end. For //:child_full
// and //:child_rtc, see conformance_test.cc for the rest.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

constexpr const char* kOperations[] = {
    "get", "put", "fetch_add", "swap", "put_nb", "fetch_add_nb", "flush"};

// With one rank every task is run by its own join. What remains is the run's
// end, which costs the same with one task as with 10,945.
TEST(Communication, NoneWhereNothingIsStolen) {
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
TEST(Communication, OfAStolenTask) {
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
TEST(Communication, OfALargeClosure) {
  const Result result = run_well(
      "--scenario=large_frames --n=1 --grain=3 --forced_steal --ranks=2 "
      "--stack_bytes=8M");
  EXPECT_EQ(number(result, "stolen_bytes"), number(result, "steals_ok") * 64);
  const Result large = run_well(
      "--scenario=large --n=3 --forced_steal --ranks=2 --stack_bytes=8M");
  EXPECT_GT(number(large, "steals_ok"), 0u);
  EXPECT_GT(number(large, "stolen_bytes"), number(large, "steals_ok") * 20000);
}

TEST(Recycling, ManyTasksInATinyArena) {
  run_well("--scenario=in_a_row --n=100000 --entry_bytes=1K --ranks=1");
  run_well("--scenario=in_a_row --n=100000 --entry_bytes=64K --ranks=2");
  run_well(
      "--scenario=rows --n=100000 --grain=1000 --entry_bytes=64K --ranks=4");
}

// Tasks that nobody joins.
TEST(Recycling, DiscardedOnes) {
  run_well("--scenario=discard --n=20000 --entry_bytes=8M --ranks=1");
  run_well("--scenario=discard --n=2000 --entry_bytes=8M --ranks=3");
}

// More tasks than the queue holds are run at once.
TEST(Recycling, ATinyQueue) {
  for (const char* ranks : {" --ranks=1", " --ranks=3"}) {
    run_well(absl::StrCat("--scenario=some --queue_bytes=1K", ranks));
    run_well(
        absl::StrCat("--scenario=any_order --n=50 --queue_bytes=1K", ranks));
    run_well(absl::StrCat("--scenario=fib --n=16 --queue_bytes=1K", ranks));
  }
}

// The stack of a task is that of the one that has ended last.
TEST(Recycling, Stacks) {
  const Result result = run_well("--scenario=in_a_row --n=100000 --ranks=1");
  EXPECT_EQ(number(result, "stacks_max"), joins_are_buried() ? 1u : 2u);
}

TEST(ForEver, AloneWithATaskThatJoinsItself) {
  for (int n : {1, 3}) {
    const std::string flags = absl::StrCat("--scenario=ring --ranks=1 --n=", n);
    expect_told(flags, run(flags), "deadlock: ");
  }
}

TEST(ForEver, TasksBuriedUnderEachOther) {
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
TEST(Times, OutstandingFromWhenBothHaveArrived) {
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
