// The conformance suite of fork-join runtimes, for any runtime over any
// network: the program under test is named on the command line, see driver.h.

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

bool steals_are_forced() {
  return ranks() > 1 && tasks_spread() && always("--forced_steal");
}

// A steal at every spawn takes long, most of all where the ranks share cores
// with others: a scenario has another size then. A scenario about moves goes on
// until the caller of spawn or join has moved so often, as it is expected to;
// where tasks are tied, for so many rounds at most.
constexpr int kUntilMoved = 1000000;

struct Case {
  const char* name;
  const char* flags;
  int size;
  int size_where_forced;
  int moves = 0;
  bool futures = false;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"NoResult", "--scenario=no_result", 3000, kUntilMoved, 20},
    {"OneTaskAfterTheOther", "--scenario=in_a_row", 30000, kUntilMoved, 20},
    {"RowsOnAllRanks", "--scenario=rows --grain=50", 40000, 2000},
    {"Loops", "--scenario=loop", 1000, 40},
    {"Reductions", "--scenario=reduce", 1000, 40},
    {"DeepNesting", "--scenario=deep", 3000, 300},
    {"Shapes", "--scenario=shapes", 3, kUntilMoved, 40},
    {"Stack", "--scenario=stack --grain=100", 20, kUntilMoved, 40},
    {"LargeFrames", "--scenario=large_frames --grain=8", 3, 2},
    {"FutureInClosure", "--scenario=in_closure", 1000, 5, 0, true},
    {"FutureInResult", "--scenario=in_result", 1000, 5},
    {"AnyOrder", "--scenario=any_order", 100, kUntilMoved, 40},
    {"Dag", "--scenario=dag", 3000, 100, 0, true},
    {"Discard", "--scenario=discard", 1000, 30},
    {"Pairs", "--scenario=pairs", 1000, 10},
    {"Shared", "--scenario=shared", 2000, 60, 0, true},
    {"Wavefront", "--scenario=wavefront", 50, 2, 0, true},
};

class Scenarios : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(ForkJoin, Scenarios, testing::ValuesIn(kCases),
                         testing::PrintToStringParamName());

TEST_P(Scenarios, GoWell) {
  const Case& c = GetParam();
  std::string size = absl::StrCat(" --n=", c.size);
  uint64_t moves = 0;
  if (steals_are_forced() && tasks_are_tied()) {
    size = absl::StrCat(
        " --n=", c.moves > 0 ? std::min(c.size, c.moves) : c.size_where_forced);
  } else if (steals_are_forced()) {
    moves = static_cast<uint64_t>(c.moves);
    size =
        absl::StrCat(" --n=", c.size_where_forced, " --enough_moves=", c.moves);
  }
  if (c.futures) {
    run_futures(c.flags + size);
    return;
  }
  const Result result = run_well(c.flags + size);
  EXPECT_GE(number(result, "moves"), moves) << result.output;
  if (tasks_are_tied()) {
    EXPECT_EQ(number(result, "moves"), 0u);
  }
}

TEST(Futures, ManyOutstanding) {
  // Steals copy the frame that holds them, and simulated ranks steal often.
  const bool are_few = steals_are_forced() || has_flag("--net");
  run_well(are_few ? "--scenario=some" : "--scenario=many");
}

TEST(Report, CountsTasks) {
  // fib(n) forks as often as it adds.
  for (const auto& [n, spawns] : {std::pair{1, 0u}, {2, 1u}, {17, 2583u}}) {
    const Result result = run_well(absl::StrCat("--scenario=fib --n=", n));
    EXPECT_EQ(number(result, "spawns"), spawns);
  }
}

TEST(EarlyEnd, ItsValueIsTheResult) {
  for (const int n : {1, 100}) {
    const Result result = run_well(absl::StrCat("--scenario=ended --n=", n));
    EXPECT_EQ(number(result, "answer"), 42u);
    EXPECT_EQ(number(result, "moves"), 43u);
  }
}

TEST(EarlyEnd, TheFirstValueCounts) {
  const Result result = run_well("--scenario=ended_by_all --n=100");
  EXPECT_GE(number(result, "answer"), 1u);
  EXPECT_LE(number(result, "answer"), 100u);
  EXPECT_EQ(number(result, "moves"), number(result, "answer"));
}

TEST(EarlyEnd, WithoutAValueTheRootsResultStays) {
  const Result result = run_well("--scenario=ended_without_value --n=100");
  EXPECT_EQ(number(result, "answer"), 7u);
  const Result later = run_well("--scenario=ended_with_value_later --n=100");
  EXPECT_EQ(number(later, "answer"), 8u);
}

class Meetings : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
    if (!tasks_spread()) GTEST_SKIP() << "one rank runs all tasks";
  }
};

TEST_F(Meetings, RootEndsOnAnotherRank) {
  if (tasks_are_tied()) GTEST_SKIP() << "it ends where it started";
  const Result result = run_well("--scenario=root_moves");
  EXPECT_EQ(number(result, "moves"), 1u);
  // The root's last rank has sent the answer to rank 0.
  EXPECT_EQ(number(result, "answer"), 7u);
}

TEST_F(Meetings, AncestorsInTheRegionWhileAThreadSuspends) {
  if (tasks_are_tied()) GTEST_SKIP() << "no parent leaves its child";
  for (const auto& [scenario, n, joins] :
       {std::tuple{"ancestor_in_region", 20, 20}, {"lineage", 50, 51}}) {
    const Result result =
        run_well(absl::StrCat("--scenario=", scenario, " --n=", n));
    if (ranks() == 2) {
      EXPECT_GE(number(result, "outstanding_joins"),
                static_cast<uint64_t>(joins))
          << scenario;
    }
  }
}

TEST_F(Meetings, ManyThreadsWait) {
  run_futures("--scenario=many_waiting --n=5");
}

TEST_F(Meetings, AllConsumersWait) {
  run_futures("--scenario=all_wait --n=10");
}

TEST_F(Meetings, CloseJoins) { run_well("--scenario=close_joins --n=10"); }

}  // namespace
}  // namespace magpie::conformance
