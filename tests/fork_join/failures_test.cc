// How runs end that cannot go on: in words, with a status that is not 0, and
// with nothing left behind. (Each run waits for every process that the program
// has started, see job.h.) For runtimes over networks whose ranks the program
// starts itself; what the network alone can tell is tested in tests/rma.

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/fork_join/driver.h"

namespace magpie::conformance {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// Runs with these flags and expects this exit status and a line like that.
template <typename Line>
void expect_end(const Flags& flags, int status, Line line) {
  SCOPED_TRACE(absl::StrJoin(command(flags), " "));
  const Result result = run(flags);
  EXPECT_EQ(result.status, status) << result.output;
  EXPECT_THAT(result.lines(), Contains(line));
}

// Bad input: status 2 and one line.
template <typename Line>
void expect_refusal(const Flags& flags, Line line) {
  SCOPED_TRACE(absl::StrJoin(command(flags), " "));
  const Result result = run(flags);
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.lines(), testing::ElementsAre(line));
}

auto on_rank(int rank, const char* words) {
  return AllOf(StartsWith(absl::StrCat("magpie: rank ", rank, ": ")),
               HasSubstr(words));
}

// ------------------------------------------------------ tasks that misbehave

class Misbehaving : public testing::TestWithParam<int> {
 protected:
  Flags flags(const char* scenario) {
    return {absl::StrCat("--scenario=", scenario), "--ranks=3",
            absl::StrCat("--where=", GetParam())};
  }
};
INSTANTIATE_TEST_SUITE_P(OnRank, Misbehaving, testing::Values(0, 1, 2),
                         testing::PrintToStringParamName());

TEST_P(Misbehaving, Throws) {
  expect_end(flags("throws"), 1,
             on_rank(GetParam(), "exception left a task: as told"));
}
TEST_P(Misbehaving, ThrowsAnythingElse) {
  expect_end(flags("throws_odd"), 1,
             on_rank(GetParam(), "exception left a task"));
}
TEST_P(Misbehaving, DereferencesNull) {
  expect_end(flags("crashes"), 128 + SIGSEGV,
             on_rank(GetParam(), "Segmentation fault"));
}
TEST_P(Misbehaving, Aborts) {
  expect_end(flags("aborts"), 128 + SIGABRT, on_rank(GetParam(), "Aborted"));
}
TEST_P(Misbehaving, Exits) {
  expect_end(
      flags("exits"), 1,
      AllOf(HasSubstr(absl::StrCat("rank ", GetParam())), HasSubstr("exit")));
}
TEST_P(Misbehaving, IsKilled) {
  expect_end(
      flags("is_killed"), 128 + SIGKILL,
      AllOf(HasSubstr(absl::StrCat("rank ", GetParam(), " died by signal 9"))));
}

TEST(MisbehavingRoot, Throws) {
  expect_end({"--scenario=throws_in_root", "--ranks=1"}, 1,
             on_rank(0, "the root, as told"));
}

// A task runs and waits; `whom` gets its process and the program's, and says
// which one to kill.
template <typename Whom>
int end_from_outside(int where, Whom whom) {
  Job job(command(
      {"--scenario=waits", "--ranks=3", absl::StrCat("--where=", where)}));
  std::string line;
  do {
    line = job.read_line();
  } while (!line.empty() && !absl::StartsWith(line, "pid "));
  int rank_pid = 0;
  if (!absl::SimpleAtoi(absl::string_view(line).substr(4), &rank_pid)) {
    ADD_FAILURE() << "no task waits:\n" << job.output();
    return 0;
  }
  kill(whom(rank_pid, job.pid()), SIGKILL);
  return job.wait();
}

TEST_P(Misbehaving, KilledFromOutside) {
  EXPECT_EQ(end_from_outside(GetParam(), [](int rank, int) { return rank; }),
            128 + SIGKILL);
}
TEST_P(Misbehaving, ProgramKilledFromOutside) {
  EXPECT_EQ(
      end_from_outside(GetParam(), [](int, int program) { return program; }),
      128 + SIGKILL);
}

// ---------------------------------------------------- memory that is exhausted

TEST(Exhausted, Region) {
  for (const char* ranks : {"--ranks=1", "--ranks=3"}) {
    expect_end({"--scenario=deep", "--n=100000", "--region_bytes=64K", ranks},
               128 + SIGSEGV,
               AllOf(StartsWith("magpie: rank "), HasSubstr("region"),
                     HasSubstr("--region_bytes")));
  }
}
TEST(Exhausted, RegionByFramesOfSeveralPages) {
  for (const char* scenario : {"--scenario=strides", "--scenario=large"}) {
    expect_end(
        {scenario, "--n=10000", "--region_bytes=64K", "--ranks=1"},
        128 + SIGSEGV,
        AllOf(StartsWith("magpie: rank 0"), HasSubstr("--region_bytes")));
  }
}
TEST(Exhausted, RegionThatSufficesIsEnough) {
  EXPECT_EQ(
      run({"--scenario=deep", "--n=100000", "--region_bytes=64M", "--ranks=1"})
          .status,
      0);
}
TEST(Exhausted, Entries) {
  expect_end({"--scenario=some", "--entry_bytes=1K", "--ranks=1"}, 1,
             on_rank(0, "raise --entry_bytes"));
  expect_end({"--scenario=many", "--entry_bytes=64K", "--ranks=1"}, 1,
             on_rank(0, "raise --entry_bytes"));
}
TEST(Exhausted, Evacuation) {
  expect_end({"--scenario=many_waiting", "--n=1", "--evacuation_bytes=4K",
              "--ranks=2"},
             1,
             AllOf(StartsWith("magpie: rank "),
                   HasSubstr("raise --evacuation_bytes")));
}

// ------------------------------------------------------------ futures misused

TEST(MisusedFutures, Forgotten) {
  for (const char* ranks : {"--ranks=1", "--ranks=3"}) {
    expect_end({"--scenario=forgets", "--n=12", ranks}, 1,
               on_rank(0,
                       "12 tasks were spawned, 12 ended, 12 were neither "
                       "joined nor discarded"));
  }
}
TEST(MisusedFutures, DeadlockOnOneRank) {
  expect_end({"--scenario=joins_none", "--ranks=1"}, 1, on_rank(0, "deadlock"));
}

// ------------------------------------------------------------------ bad input

TEST(BadInput, Ranks) {
  const Flags fib = {"--scenario=fib", "--n=1"};
  for (const char* bad :
       {"0", "-1", "x", "", "1.5", "99999999999999999999", "100000"}) {
    Flags flags = fib;
    flags.push_back(absl::StrCat("--ranks=", bad));
    expect_refusal(flags, AllOf(StartsWith("magpie: "), HasSubstr("--ranks"),
                                HasSubstr(bad)));
  }
}
TEST(BadInput, MoreThanMemory) {
  expect_refusal({"--scenario=fib", "--ranks=4096", "--region_bytes=64G"},
                 AllOf(StartsWith("magpie: "), HasSubstr("--ranks=4096"),
                       HasSubstr("memory")));
}
TEST(BadInput, Sizes) {
  for (const char* flag :
       {"--region_bytes", "--entry_bytes", "--evacuation_bytes"}) {
    for (const char* bad :
         {"0", "1", "-5", "x", "12Q", "", "999999999T", "M"}) {
      expect_refusal(
          {"--scenario=fib", "--ranks=1", absl::StrCat(flag, "=", bad)},
          AllOf(StartsWith("magpie: "), HasSubstr(flag), HasSubstr(bad)));
    }
  }
}
TEST(BadInput, UnknownFlag) {
  expect_refusal({"--scenario=fib", "--ranks=1", "--no_such_flag"},
                 AllOf(HasSubstr("--no_such_flag"), HasSubstr("--region_bytes"),
                       HasSubstr("--ranks")));
  expect_refusal({"--scenario=fib", "--ranks=1", "--victim_seed=x"},
                 AllOf(HasSubstr("--victim_seed"), HasSubstr("x")));
}

}  // namespace
}  // namespace magpie::conformance
