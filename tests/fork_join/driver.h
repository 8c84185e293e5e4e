// What the drivers share: the program under test, named on their command line
// with the flags that all its runs get.
//
//   driver [--gtest_...] program --ranks=2 --forced_steal

#ifndef MAGPIE_TESTS_FORK_JOIN_DRIVER_H_
#define MAGPIE_TESTS_FORK_JOIN_DRIVER_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fork_join/job.h"

namespace magpie::conformance {

// The command line for a run: the program under test, its flags, and `flags`,
// with spaces between them.
std::vector<std::string> command(const std::string& flags);

// Runs the program to its end, on a fresh board.
Result run(const std::string& flags);

// As run, and expects that all went well.
Result run_well(const std::string& flags);

// How many ranks the program has with its flags.
int ranks();

// Whether every run has this flag.
bool always(const std::string& flag);

// A number of the report; fails the test when it is not there.
uint64_t number(const Result& result, const std::string& key);

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_DRIVER_H_
