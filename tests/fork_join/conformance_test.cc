// The conformance suite of fork-join runtimes, for any runtime over any
// network: the program under test is named on the command line, see driver.h.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

bool parents_leave() { return ranks() > 1 && always("--forced_steal"); }

// A scenario's size. A steal at every spawn takes its time, most of all where
// the ranks share cores with others.
std::string size(int usual, int where_parents_leave) {
  return absl::StrCat("--n=", parents_leave() ? where_parents_leave : usual);
}

// Runs a scenario for so many rounds; or, where parents leave, until some have,
// and expects that.
void run_with_moves(Flags flags, int usual_rounds, int enough_moves) {
  if (!parents_leave()) {
    flags.push_back(absl::StrCat("--n=", usual_rounds));
    run_well(flags);
    return;
  }
  flags.insert(flags.end(),
               {"--n=1000000", absl::StrCat("--enough_moves=", enough_moves)});
  const Result result = run_well(flags);
  EXPECT_GE(number(result, "moves"), static_cast<uint64_t>(enough_moves))
      << result.output;
}

#define NEEDS_RANKS(count) \
  if (ranks() < (count)) GTEST_SKIP() << "needs " << (count) << " ranks"

TEST(ForkJoin, Fib) {
  for (const int n : {0, 1, 2, 3, 10, 17}) {
    const Result result = run_well({"--scenario=fib", absl::StrCat("--n=", n)});
    EXPECT_LT(number(result, "root_ended_on"), number(result, "ranks"));
  }
}

TEST(ForkJoin, CountsItsTasks) {
  // fib(n) forks as often as it adds.
  EXPECT_EQ(number(run_well({"--scenario=fib", "--n=15"}), "spawns"), 986u);
}

TEST(ForkJoin, TaskWithoutResult) {
  run_with_moves({"--scenario=no_result"}, 3000, 20);
}

TEST(ForkJoin, OneTaskBehindTheOther) {
  run_with_moves({"--scenario=in_a_row"}, 100000, 20);
}

TEST(ForkJoin, RowsOnAllRanks) {
  run_well({"--scenario=rows", size(40000, 2000), "--grain=50"});
}

TEST(ForkJoin, DeepNesting) {
  run_well({"--scenario=deep", size(20000, 3000)});
}

TEST(Shapes, OverTheFacade) {
  run_with_moves({"--scenario=facade_shapes"}, 3, 30);
}
TEST(Shapes, OverTheSeam) {
  run_with_moves({"--scenario=seam_shapes"}, 3, 100);
}
TEST(Shapes, StackObjectsKeepTheirAddresses) {
  run_with_moves({"--scenario=stack", "--grain=100"}, 20, 100);
}

TEST(Shapes, LargeFrames) {
  run_well({"--scenario=large_frames", "--grain=8", size(10, 2)});
}

TEST(Loops, ReduceInOrder) {
  for (const int n : {0, 1, 2, 7, 1000}) {
    for (const int grain : {1, 3, 64}) {
      if (grain > 2 * n && grain > 1) continue;
      run_well({"--scenario=reduce", size(n, std::min(n, 100)),
                absl::StrCat("--grain=", grain)});
    }
  }
}

TEST(Loops, ForEachOnce) {
  for (const int n : {0, 1, 2, 7, 1000}) {
    for (const int grain : {1, 64}) {
      if (grain > 10 * n && grain > 1) continue;
      run_well({"--scenario=loop", size(n, std::min(n, 100)),
                absl::StrCat("--grain=", grain)});
    }
  }
}

TEST(Futures, JoinedByAnotherTask) {
  run_well({"--scenario=in_closure", size(1000, 30)});
}
TEST(Futures, FutureAsResult) {
  run_well({"--scenario=in_result", size(1000, 30)});
}

TEST(Futures, JoinedInAnyOrder) {
  for (const int order : {1, 2}) {
    run_with_moves({"--scenario=any_order", absl::StrCat("--order=", order)},
                   100, 40);
  }
}

TEST(Futures, RandomGraphs) {
  for (const int order : {1, 2, 3})
    run_well(
        {"--scenario=dag", size(3000, 100), absl::StrCat("--order=", order)});
}

TEST(Futures, Discarded) { run_well({"--scenario=discard", size(1000, 30)}); }

TEST(Futures, ManyOutstanding) {
  run_well({absl::StrCat("--scenario=", parents_leave() ? "some" : "many")});
}

TEST(Meetings, RootEndsOnAnotherRank) {
  NEEDS_RANKS(2);
  const Result result = run_well({"--scenario=root_moves"});
  EXPECT_NE(number(result, "root_ended_on"), 0u);
  EXPECT_EQ(number(result, "answer"), 7u);  // which its rank sent to rank 0
}

TEST(Meetings, AncestorInTheRegionWhileAThreadSuspends) {
  NEEDS_RANKS(2);
  const Result result = run_well({"--scenario=ancestor_in_region", "--n=20"});
  if (ranks() == 2) {
    EXPECT_GE(number(result, "outstanding_joins"), 20u);
  }
}

TEST(Meetings, LineageInTheRegionWhileAThreadSuspends) {
  NEEDS_RANKS(2);
  const Result result = run_well({"--scenario=lineage", "--n=50"});
  if (ranks() == 2) {
    EXPECT_GE(number(result, "outstanding_joins"), 51u);
  }
}

TEST(Meetings, ManyThreadsWait) {
  NEEDS_RANKS(2);
  run_well({"--scenario=many_waiting", "--n=5"});
}

TEST(Meetings, CloseJoins) {
  NEEDS_RANKS(2);
  run_well({"--scenario=close_joins", "--n=10"});
}

}  // namespace
}  // namespace magpie::conformance
