// Words at the end of a run where tasks are left, or were run too often; which
// writes of static variables are found, and that the command names what was
// written; the padding of tasks.

#include "common/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/globals.h"
#include "common/run/task_type.h"

namespace magpie {
namespace {

// Ends a run in which rank 0 has the balance `mine`; other ranks' are even.
template <Facade kFacade>
void end_with(const Balance& mine) {
  rma::SegmentLayout layout;
  layout.heap_bytes = 1 << 16;
  Balance given = mine;
  std::exit(rma::launch(
      layout,
      [](void* arg) {
        const auto& of_rank_0 = *static_cast<const Balance*>(arg);
        check_balance(rma::rank() == 0 ? of_rank_0 : Balance{7, 7, 0, 0},
                      kFacade);
        return 0;
      },
      &given, sizeof(given)));
}

const auto kRefused = testing::ExitedWithCode(1);

TEST(BalanceDeathTest, ForkJoinSpeaksOfFutures) {
  for (const Balance& mine :
       {Balance{4, 3, 0, 0}, Balance{3, 3, 1, 0}, Balance{3, 3, 0, 1}}) {
    EXPECT_EXIT(end_with<Facade::kForkJoin>(mine), kRefused,
                "^magpie: rank 0: at the end of the run .* tasks were spawned, "
                ".*; each future is to be joined or discarded once\n$");
  }
}

TEST(BalanceDeathTest, APoolSpeaksOfItsTasks) {
  for (const Balance& mine : {Balance{4, 3, 0, 0}, Balance{3, 4, 0, 0}}) {
    EXPECT_EXIT(end_with<Facade::kPool>(mine), kRefused,
                "^magpie: rank 0: at the end of the run .* tasks were added "
                "and .* were run: a pool runs each once, .*\n$");
  }
}

TEST(BalanceDeathTest, SilentWhereAllIsOver) {
  const auto well = testing::ExitedWithCode(0);
  EXPECT_EXIT(end_with<Facade::kForkJoin>({3, 3, 0, 0}), well, "^$");
  EXPECT_EXIT(end_with<Facade::kPool>({3, 3, 0, 0}), well, "^$");
}

}  // namespace

// ------------------------------------------------------------ static variables

namespace internal {

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

// ---------------------------------------------------------- padding of tasks

struct Pair {
  double x, y;
  friend bool operator==(const Pair&, const Pair&) = default;
};
struct Padded {
  char a;
  int32_t b;
};

template <int kPairs>
struct Behind {
  Pair pairs[kPairs];
  Padded padded;
};

// Makes all bytes alike, and clears the padding.
template <typename T>
void clear(T* object) {
  std::memset(static_cast<void*>(object), 0x41, sizeof(T));
  clear_padding(object);
  // Padding is not to be looked at by the optimizer.
  asm volatile("" ::: "memory");
}

template <int kPairs>
void keeps_values() {
  Behind<kPairs> object;
  clear(&object);
  Pair value;
  std::memset(static_cast<void*>(&value), 0x41, sizeof(value));
  for (const Pair& pair : object.pairs) EXPECT_EQ(pair, value) << kPairs;
  EXPECT_EQ(object.padded.a, 0x41);
  EXPECT_EQ(object.padded.b, 0x41414141);
}

TEST(TaskType, KeepsValuesBehindAnArray) {
  keeps_values<1>();
  keeps_values<3>();
  keeps_values<4>();
  keeps_values<5>();
  keeps_values<64>();
}

TEST(TaskType, ClearsPaddingOrSaysThatItDoesNot) {
  Padded object;
  clear(&object);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&object);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(bytes[i] == 0, kHasCleanBytes<Padded>);
  EXPECT_FALSE(kHasCleanBytes<Behind<64>>);
  EXPECT_TRUE(kHasCleanBytes<uint64_t[64]>);
}

}  // namespace
}  // namespace internal
}  // namespace magpie
