// How runs end that cannot go on: in words, with a status that is not 0, and
// with nothing left over. (Each run waits for every process that the program
// has started, see driver.h.) For runtimes over networks whose ranks the
// program starts itself; what only the network can tell (bad numbers of ranks,
// ranks that are killed) is tested in tests/rma.

#include <gmock/gmock.h>
#include <signal.h>
#include <string.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

// Runs with these flags and expects this exit status and a line of ours that
// begins with `start` and has all `words`. A refusal of bad input, which has
// status 2, says no more than that.
void expect_end(const std::string& flags, int status, const std::string& start,
                const std::vector<std::string>& words) {
  SCOPED_TRACE(command(flags));
  std::vector<testing::Matcher<std::string>> line = {
      testing::StartsWith("magpie: " + start)};
  for (const std::string& word : words)
    line.push_back(testing::HasSubstr(word));
  const Result result = run(flags);
  EXPECT_EQ(result.status, status) << result.output;
  EXPECT_THAT(result.lines(), testing::Contains(testing::AllOfArray(line)));
  if (status == 2) {
    EXPECT_EQ(result.lines().size(), 1u) << result.output;
  }
}

TEST(Misbehaving, EndsTheRun) {
  const std::tuple<const char*, int, const char*> deeds[] = {
      {"throws", 1, ": an exception left a task: as told"},
      {"throws_odd", 1, ": an exception left a task"},
      {"crashes", 128 + SIGSEGV, ": Segmentation fault"},
      {"aborts", 128 + SIGABRT, ": Aborted"},
      {"exits", 1, ": called exit"},
  };
  for (const auto& [scenario, status, words] : deeds) {
    for (const int rank : {0, 1, 2}) {
      expect_end(
          absl::StrCat("--scenario=", scenario, " --ranks=3 --where=", rank),
          status, absl::StrCat("rank ", rank), {words});
    }
  }
}

// The flag for the stack of all nested tasks; with Full threads, of each task.
const char* stack_flag() {
  return has_flag("--stack_bytes") ? "--stack_bytes" : "--region_bytes";
}

TEST(Exhausted, Stack) {
  if (tasks_have_stacks()) GTEST_SKIP() << "there is one for each task";
  for (const char* ranks : {"--ranks=1", "--ranks=3"}) {
    expect_end(absl::StrCat("--scenario=deep --n=100000 ", stack_flag(),
                            "=64K ", ranks),
               128 + SIGSEGV, "rank ", {stack_flag()});
  }
}
TEST(Exhausted, StackByFramesOfSeveralPages) {
  const char* bytes = tasks_have_stacks() ? "=8K" : "=64K";
  for (const char* scenario : {"--scenario=strides", "--scenario=large"}) {
    expect_end(
        absl::StrCat(scenario, " --n=10000 --ranks=1 ", stack_flag(), bytes),
        128 + SIGSEGV, "rank 0", {stack_flag()});
  }
}
TEST(Exhausted, StackThatSufficesIsEnough) {
  run_well(absl::StrCat(
      "--scenario=deep --n=", tasks_have_stacks() ? 20000 : 100000,
      " --ranks=1 ", stack_flag(), tasks_have_stacks() ? "=8K" : "=64M"));
}
TEST(Sizes, NeedNotBeRound) {
  std::string sizes;
  for (const char* size :
       {"--stack_bytes=65551", "--region_bytes=65551", "--queue_bytes=100001",
        "--entry_bytes=100003", "--evacuation_bytes=1000003"}) {
    const std::string flag(size, strchr(size, '='));
    if (has_flag(flag)) absl::StrAppend(&sizes, " ", size);
  }
  run_well("--scenario=fib --n=12 --forced_steal --ranks=3" + sizes);
}
TEST(Exhausted, Entries) {
  // The root has an array of 1.6 MB.
  const char* stack = tasks_have_stacks() ? " --stack_bytes=2M" : "";
  for (const char* flags : {"--scenario=some --ranks=1 --entry_bytes=1K",
                            "--scenario=many --ranks=1 --entry_bytes=64K"}) {
    expect_end(absl::StrCat(flags, stack), 1,
               "rank 0: ", {"raise --entry_bytes"});
  }
}
TEST(Exhausted, Evacuation) {
  if (!has_flag("--evacuation_bytes")) GTEST_SKIP() << "no frames are copied";
  expect_end("--scenario=many_waiting --n=1 --evacuation_bytes=4K --ranks=2", 1,
             "rank ", {"raise --evacuation_bytes"});
}

TEST(MisusedFutures, Forgotten) {
  for (const char* ranks : {"--ranks=1", "--ranks=3"}) {
    expect_end(absl::StrCat("--scenario=forgets --n=12 ", ranks), 1, "rank 0: ",
               {"12 tasks were spawned, 12 ended, 12 were neither joined nor "
                "discarded"});
  }
}

TEST(BadInput, MoreThanMemory) {
  expect_end("--scenario=fib --ranks=4096 --entry_bytes=64G", 2, "",
             {"--ranks=4096", "memory"});
}
TEST(BadInput, Sizes) {
  for (const char* flag : {"--stack_bytes", "--region_bytes", "--entry_bytes",
                           "--queue_bytes", "--evacuation_bytes"}) {
    if (!has_flag(flag)) continue;
    for (const char* bad :
         {"0", "1", "-5", "x", "12Q", "", "999999999T", "M"}) {
      expect_end(absl::StrCat("--scenario=fib --ranks=1 ", flag, "=", bad), 2,
                 "", {flag, bad});
    }
  }
}
TEST(BadInput, Flags) {
  expect_end("--scenario=fib --ranks=1 --no_such_flag", 2, "",
             {"--no_such_flag", stack_flag(), "--ranks"});
  expect_end("--scenario=fib --ranks=1 --victim_seed=x", 2, "",
             {"--victim_seed", "x"});
}

}  // namespace
}  // namespace magpie::conformance
