// Checks which writes are found, and that the command names what was written.

#include "common/run/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

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

[[gnu::section("magpie_own")]] static volatile long of_a_backend = 6;

namespace {

TEST(ChangedSince, FindsTheBytesOfEachPlace) {
  const std::vector<std::byte> before = data_segment();
  of_a_backend = 7;
  volatile double* const elements = array;
  elements[998] = 1;
  elements[999] = 1;
  elements[10] = -0.0;
  const std::vector<Place> places = changed_since(before);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].first, places[0].last);
  EXPECT_EQ(places[0].last, reinterpret_cast<std::byte*>(&array[11]) - 1);
  EXPECT_GT(places[1].first, static_cast<void*>(&array[998]));
  EXPECT_LT(places[1].first, static_cast<void*>(&array[999]));
  EXPECT_GT(places[1].last, static_cast<void*>(&array[999]));
}

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
