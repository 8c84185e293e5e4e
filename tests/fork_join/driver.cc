#include "tests/fork_join/driver.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace magpie::conformance {
namespace {

std::vector<std::string> program_and_flags;

}  // namespace

std::vector<std::string> command(const std::string& flags) {
  std::vector<std::string> words = program_and_flags;
  for (const absl::string_view flag :
       absl::StrSplit(flags, ' ', absl::SkipEmpty())) {
    words.emplace_back(flag);
  }
  return words;
}

Result run(const std::string& flags) {
  std::string board = testing::TempDir() + "/boardXXXXXX";
  const int descriptor = mkstemp(board.data());
  if (descriptor < 0) {
    ADD_FAILURE() << "cannot create " << board;
    return {};
  }
  close(descriptor);
  const absl::Cleanup remove = [&] { unlink(board.c_str()); };
  std::vector<std::string> words = command(flags);
  words.push_back("--board=" + board);
  return run_job(words);
}

Result run_well(const std::string& flags) {
  const Result result = run(flags);
  const std::string what = absl::StrJoin(command(flags), " ");
  EXPECT_EQ(result.status, 0) << what << "\n" << result.output;
  EXPECT_EQ(number(result, "spawns"), number(result, "deaths")) << what;
  return result;
}

int ranks() {
  static const int count =
      static_cast<int>(number(run_well("--scenario=fib --n=1"), "ranks"));
  return count;
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
  magpie::conformance::program_and_flags.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
