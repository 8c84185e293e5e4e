#include "common/stealing/victim_selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/stealing/other_victims.h"
#include "common/stealing/victim_selection_suite.h"

namespace magpie {
namespace {

MAGPIE_VICTIM_SELECTION_SUITE(NextVictim, NextVictim);
MAGPIE_VICTIM_SELECTION_SUITE(RandomVictim, RandomVictim);

TEST(RandomVictim, Uniform) {
  for (const int size : {2, 3, 7, 8, 64, 1000}) {
    for (const int rank : {0, size / 2, size - 1}) {
      constexpr int kPerVictim = 2000;
      RandomVictim victims({.first = 0, .size = size}, rank, 1);
      std::vector<int> chosen(static_cast<size_t>(size));
      for (int i = 0; i < kPerVictim * (size - 1); ++i) {
        ++chosen[victims.next()];
      }
      for (int v = 0; v < size; ++v) {
        if (v == rank) continue;
        // Six standard deviations.
        EXPECT_NEAR(chosen[v], kPerVictim, 6 * std::sqrt(kPerVictim))
            << "rank " << rank << " of " << size << ", victim " << v;
      }
    }
  }
}

constexpr Group kGroup = {.first = 0, .size = 100};

// Number of times that two sequences name the same victim, of 1000.
int agreements(RandomVictim a, RandomVictim b) {
  int same = 0;
  for (int i = 0; i < 1000; ++i) same += a.next() == b.next();
  return same;
}

// Thieves that all go to one victim at a time keep each other out. Ranks that
// choose by themselves agree 10 times in 1000.
TEST(RandomVictim, RanksChooseByThemselves) {
  for (const int rank : {0, 1, 2, 50, 97}) {
    EXPECT_LT(agreements({kGroup, rank, 1}, {kGroup, rank + 1, 1}), 50)
        << "ranks " << rank << " and " << rank + 1;
  }
}

TEST(RandomVictim, SeedsDiffer) {
  for (const uint64_t seed : {0, 1, 2, 1000}) {
    EXPECT_LT(agreements({kGroup, 5, seed}, {kGroup, 5, seed + 1}), 50)
        << "seeds " << seed << " and " << seed + 1;
  }
}

}  // namespace
}  // namespace magpie
