// The suite of the concept VictimSelection. A class is tested by naming it:
//
//   MAGPIE_VICTIM_SELECTION_SUITE(MyVictims, my::Victims);

#ifndef MAGPIE_COMMON_STEALING_VICTIM_SELECTION_SUITE_H_
#define MAGPIE_COMMON_STEALING_VICTIM_SELECTION_SUITE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "common/stealing/victim_selection.h"

namespace magpie::victim_suite {

// Calls of next() after which every other rank has come: several times what
// choices at random need.
inline int enough_calls(int size) { return 40 * size; }

template <VictimSelection Victims>
void others_come_again_and_again() {
  for (const int size : {2, 3, 7, 64, 1000}) {
    for (const int rank : {0, size / 2, size - 1}) {
      Victims victims(rank, size, 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<int> chosen(static_cast<size_t>(size));
        for (int i = 0; i < enough_calls(size); ++i) {
          const int victim = victims.next();
          ASSERT_TRUE(victim >= 0 && victim < size && victim != rank)
              << victim << " for rank " << rank << " of " << size;
          ++chosen[static_cast<size_t>(victim)];
        }
        for (int v = 0; v < size; ++v) {
          EXPECT_EQ(chosen[static_cast<size_t>(v)] > 0, v != rank)
              << v << " for rank " << rank << " of " << size;
        }
      }
    }
  }
}

// A rank that is alone asks for nobody.
template <VictimSelection Victims>
void serves_a_rank_alone() {
  [[maybe_unused]] const Victims victims(0, 1, 1);
}

template <VictimSelection Victims>
void same_arguments_same_sequence() {
  for (const uint64_t seed : {0, 1, 42}) {
    Victims a(3, 100, seed), b(3, 100, seed);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  }
}

}  // namespace magpie::victim_suite

// `Name` is of the cases.
#define MAGPIE_VICTIM_SELECTION_SUITE(Name, ...)                         \
  TEST(Name, OthersComeAgainAndAgain) {                                  \
    ::magpie::victim_suite::others_come_again_and_again<__VA_ARGS__>();  \
  }                                                                      \
  TEST(Name, SameArgumentsSameSequence) {                                \
    ::magpie::victim_suite::same_arguments_same_sequence<__VA_ARGS__>(); \
  }                                                                      \
  TEST(Name, ServesARankAlone) {                                         \
    ::magpie::victim_suite::serves_a_rank_alone<__VA_ARGS__>();          \
  }                                                                      \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_STEALING_VICTIM_SELECTION_SUITE_H_
