// Parts that the drivers share: the program under test, named on their command
// line with the flags that all its runs get.
//
//   driver [--gtest_...] program --ranks=2 --forced_steal

#ifndef MAGPIE_TESTS_FORK_JOIN_DRIVER_H_
#define MAGPIE_TESTS_FORK_JOIN_DRIVER_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace magpie::conformance {

struct Result {
  // The exit status, or 128 + signal.
  int status = 0;
  // Standard output and error.
  std::string output;
  // The numbers of the report, by name, as in "rma.get": the line that begins
  // with "report:".
  std::map<std::string, uint64_t> report;
};

// The command line for a run: the program under test, its flags, and `flags`.
std::string command(const std::string& flags);

// Runs the program on a fresh board, until it and *every process that holds its
// output* have ended: after this, nothing of it is left.
Result run(const std::string& flags);

// Does what run does, and expects that all went well.
Result run_well(const std::string& flags);

// Number of ranks that the program has with its flags.
int ranks();

// Traits that the runtime states of itself (ForkJoinTraits of
// common/fork_join/seam_types.h): whether several ranks run tasks; whether
// tasks stay where they start, as with child stealing; and whether a waiting
// task goes on only when the tasks on top of it have ended.
bool tasks_spread();
bool tasks_are_tied();
bool joins_are_buried();

// Whether --help names the flag, as in "--region_bytes".
bool has_flag(const std::string& flag);

// Does what run_well does, for a program with futures. Where joins are buried
// it may also end with the words that a task has joined a task buried under it.
void run_futures(const std::string& flags);

// Expects that the run ended the job, with these words.
void expect_told(const std::string& flags, const Result& result,
                 const std::string& words);

// Whether every run has this flag.
bool always(const std::string& flag);

// A number of the report; fails the test when it is not there.
uint64_t number(const Result& result, const std::string& key);

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_DRIVER_H_
