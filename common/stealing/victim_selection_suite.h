// The suite of the concept VictimSelection. A class is tested by naming it:
//
//   MAGPIE_VICTIM_SELECTION_SUITE(MyVictims, my::Victims);

#ifndef MAGPIE_COMMON_STEALING_VICTIM_SELECTION_SUITE_H_
#define MAGPIE_COMMON_STEALING_VICTIM_SELECTION_SUITE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/stealing/group.h"
#include "common/stealing/victim_selection.h"
#include "common/testing/once.h"

namespace magpie::victim_suite {

// Groups, of the whole job and of a part of it.
inline std::vector<Group> groups() {
  std::vector<Group> groups;
  for (const int size : {2, 3, 7, 64, 1000}) {
    groups.push_back({.first = 0, .size = size});
    groups.push_back({.first = 5, .size = size});
  }
  return groups;
}

template <VictimSelection Victims>
void others_come_again_and_again() {
  spmd::Once once("a member is not chosen");
  for (const Group& group : groups()) {
    for (const int own : {0, group.size / 2, group.size - 1}) {
      Victims victims(group, group.rank(own), 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<int> chosen(static_cast<size_t>(group.size));
        // Several times the calls that choices at random need.
        for (int i = 0; i < 40 * group.size; ++i) {
          const int victim = victims.next();
          ASSERT_TRUE(group.has(victim) && victim != group.rank(own))
              << "rank " << victim << " was chosen by member " << own << " of "
              << group.size;
          ++chosen[static_cast<size_t>(group.member(victim))];
        }
        for (int v = 0; v < group.size; ++v) {
          once.expect((chosen[static_cast<size_t>(v)] > 0) == (v != own), [&] {
            return "member " + std::to_string(v) + " by member " +
                   std::to_string(own) + " of " + std::to_string(group.size);
          });
        }
      }
    }
  }
}

// A rank that is alone asks for nobody.
template <VictimSelection Victims>
void serves_a_rank_alone() {
  [[maybe_unused]] const Victims victims(Group{}, 0, 1);
}

template <VictimSelection Victims>
void same_arguments_same_sequence() {
  for (const uint64_t seed : {0, 1, 42}) {
    const Group group = {.first = 0, .size = 100};
    Victims a(group, 3, seed), b(group, 3, seed);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(a.next(), b.next())
          << "call " << i << " of two with seed " << seed;
    }
  }
}

}  // namespace magpie::victim_suite

// Takes the cases' name and the class.
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
