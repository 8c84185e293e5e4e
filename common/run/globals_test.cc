// Checks which writes are found, and that the command names what was written.

#include "common/run/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace magpie::internal {

// Makes the compiler believe that the object is read and written.
template <typename T>
static void use(T& object) {
  asm volatile("" ::"r"(&object) : "memory");
}

// A program's variables.
struct Counter {
  static long of_all;
};
long Counter::of_all = 7;
static double array[1000];
static long with_a_value = 3;
[[gnu::section("magpie_own")]] static long of_a_backend = 6;
static long& count_here() {
  static long counter;
  return counter;
}

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Output of the command that names the places.
std::string names_of(std::span<const Place> places) {
  std::FILE* const output = popen(command_naming(places).c_str(), "r");
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), output));
  pclose(output);
  return text;
}

TEST(DataSegment, FindsNoWriteWhereThereIsNone) {
  const DataSegment before;
  std::vector<long> elsewhere(10);
  for (long& element : elsewhere) use(++element);
  use(++of_a_backend);
  use(++with_a_value);
  use(--with_a_value);
  EXPECT_THAT(before.changed(), IsEmpty());
}

TEST(DataSegment, FindsTheBytesOfEachPlace) {
  const DataSegment before;
  use(array[998] = 1);
  use(array[999] = 1);
  use(array[10] = -0.0);
  const std::vector<Place> places = before.changed();
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].first, places[0].last);
  EXPECT_EQ(places[0].last, reinterpret_cast<std::byte*>(&array[11]) - 1);
  EXPECT_GT(places[1].first, static_cast<void*>(&array[998]));
  EXPECT_LT(places[1].first, static_cast<void*>(&array[999]));
  EXPECT_GT(places[1].last, static_cast<void*>(&array[999]));
}

TEST(DataSegment, TheCommandNamesWhatWasWritten) {
  const DataSegment before;
  use(++Counter::of_all);
  use(array[500] = 1);
  use(++count_here());
  use(++with_a_value);
  const std::string names = names_of(before.changed());
  for (const char* name :
       {" magpie::internal::Counter::of_all\n", " magpie::internal::array\n",
        " magpie::internal::count_here()::counter\n",
        " magpie::internal::with_a_value\n"})
    EXPECT_THAT(names, HasSubstr(name));
}

}  // namespace
}  // namespace magpie::internal
