// Checks that the command names what was written. tests/mistakes has writes.

#include "common/run/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace magpie::internal {

// A program's variables.
struct Counter {
  static long of_all;
};
long Counter::of_all = 7;
static double array[1000];
static long& count_here() {
  static long counter;
  return counter;
}

namespace {

TEST(CommandNaming, NamesVariablesOfEachKind) {
  const std::string command =
      command_naming({{&Counter::of_all, &Counter::of_all},
                      {&array[500], &array[501]},
                      {&count_here(), &count_here()}});
  std::FILE* const output = popen(command.c_str(), "r");
  std::string names(1000, '\0');
  names.resize(std::fread(names.data(), 1, names.size(), output));
  pclose(output);
  for (const char* name :
       {" magpie::internal::Counter::of_all\n", " magpie::internal::array\n",
        " magpie::internal::count_here()::counter\n"})
    EXPECT_THAT(names, testing::HasSubstr(name));
}

}  // namespace
}  // namespace magpie::internal
