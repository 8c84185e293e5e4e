#include "tests/fork_join/driver.h"

#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace magpie::conformance {
namespace {

std::vector<std::string> program_and_flags;

void expect_well(const std::string& flags, const Result& result) {
  const std::string what = command(flags);
  EXPECT_EQ(result.status, 0) << what << "\n" << result.output;
  EXPECT_EQ(number(result, "spawns"), number(result, "deaths")) << what;
}

// The report of a run in which nothing happens.
const Result& least_run() {
  static const Result result = run_well("--scenario=fib --n=1");
  return result;
}
bool trait(const char* name) { return number(least_run(), name) != 0; }

// The numbers in the line that begins with "report:".
std::map<std::string, uint64_t> report_in(absl::string_view output) {
  std::map<std::string, uint64_t> numbers;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::ConsumePrefix(&line, "report: ")) continue;
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      const std::pair<std::string, std::string> number =
          absl::StrSplit(word, '=');
      numbers[number.first] = std::stoull(number.second);
    }
  }
  return numbers;
}

}  // namespace

std::string command(const std::string& flags) {
  return absl::StrJoin(program_and_flags, " ") + " " + flags;
}

Result run(const std::string& flags) {
  // Replaces the shell, which would tell of a signal in its own way.
  FILE* const pipe = popen(("exec " + command(flags) + " 2>&1").c_str(), "r");
  Result result;
  char buffer[4096];
  while (const size_t n = fread(buffer, 1, sizeof(buffer), pipe))
    result.output.append(buffer, n);
  const int status = pclose(pipe);
  result.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.report = report_in(result.output);
  return result;
}

Result run_well(const std::string& flags) {
  const Result result = run(flags);
  expect_well(flags, result);
  return result;
}

int ranks() { return static_cast<int>(number(least_run(), "ranks")); }

bool tasks_spread() { return trait("spreads"); }
bool tasks_are_tied() { return !trait("migrates"); }
bool joins_are_buried() { return trait("buries"); }

bool has_flag(const std::string& flag) {
  static const std::string help = run("--help").output;
  return absl::StrContains(help, flag + "=");
}

void run_futures(const std::string& flags) {
  const Result result = run(flags);
  if (joins_are_buried() && result.status != 0) {
    expect_told(flags, result, "joins one that is buried under it");
  } else {
    expect_well(flags, result);
  }
}

void expect_told(const std::string& flags, const Result& result,
                 const std::string& words) {
  EXPECT_EQ(result.status, 1) << command(flags) << "\n" << result.output;
  EXPECT_TRUE(absl::StrContains(result.output, words)) << command(flags) << "\n"
                                                       << result.output;
}

bool always(const std::string& flag) {
  return std::find(program_and_flags.begin(), program_and_flags.end(), flag) !=
         program_and_flags.end();
}

uint64_t number(const Result& result, const std::string& key) {
  const auto found = result.report.find(key);
  if (found == result.report.end()) {
    ADD_FAILURE() << "no report of " << key << ":\n" << result.output;
    return 0;
  }
  return found->second;
}

}  // namespace magpie::conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& command = magpie::conformance::program_and_flags;
  command.assign(argv + 1, argv + argc);
  // A failure tells a command that runs from any folder: the test's is gone
  // afterwards.
  std::error_code failed;
  if (!command.empty()) {
    const auto path = std::filesystem::canonical(command[0], failed);
    if (!failed) command[0] = path.string();
  }
  return RUN_ALL_TESTS();
}
