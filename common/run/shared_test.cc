// What ranks share: a maximum, an array, and the report, in which the counts of
// all ranks' parts become one.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/distributed_array.h"
#include "common/run/report.h"
#include "common/run/shared_max.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

SharedMax beginning_with(int64_t first) {
  SharedMax max;
  max.allocate(first);
  rma::barrier();
  return max;
}

SPMD_TEST(SharedMax, NegativeNumbersAreLess) {
  const auto max = beginning_with(INT64_MIN);
  EXPECT_EQ(max.get(), INT64_MIN);
  for (const int64_t value : {INT64_MIN + 1, -1l, 0l, 1l, INT64_MAX}) {
    rma::barrier();
    if (rma::rank() == 0) {
      max.raise(value);
      max.raise(value - 1);
    }
    rma::barrier();
    EXPECT_EQ(max.get(), value);
  }
}

// Reading, and raising to what is no more, cost nothing.
SPMD_TEST(SharedMax, ARaiseTellsEachRankOnce) {
  const auto max = beginning_with(10);
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(max.get(), 10); }), Costs{});
  EXPECT_EQ(costs_of([&] { max.raise(-5); }), Costs{});
  rma::barrier();
  if (rma::rank() == rma::size() - 1) {
    EXPECT_EQ(costs_of([&] { max.raise(11); }),
              (Costs{.gets = 2,
                     .swaps = 1,
                     .puts_nb = static_cast<uint64_t>(rma::size())}));
    EXPECT_EQ(costs_of([&] { max.raise(11); }), Costs{});
  }
  rma::barrier();
  EXPECT_EQ(max.get(), 11);
}

// All ranks raise the maximum at once, each to some numbers of its own: in
// between each finds what somebody gave, in the end the maximum.
SPMD_TEST(SharedMax, IsExactAfterARace) {
  constexpr int kRaises = 3;
  const auto max = beginning_with(0);
  const uint64_t rounds = spmd::rounds(3000, 8);
  for (uint64_t round = 1; round <= rounds; ++round) {
    // Every rank draws all ranks' numbers.
    std::mt19937_64 random(round);
    const auto base = static_cast<int64_t>(1000 * round);
    int64_t expected = 0;
    std::vector<int64_t> all, mine;
    for (int i = 0; i < kRaises * rma::size(); ++i) {
      all.push_back(base + static_cast<int64_t>(random() % 100));
      expected = std::max(expected, all.back());
      if (i % rma::size() == rma::rank()) mine.push_back(all.back());
    }
    for (const int64_t value : mine) {
      max.raise(value);
      const int64_t seen = max.get();
      EXPECT_TRUE(seen < base || std::ranges::count(all, seen) > 0) << seen;
      EXPECT_LE(seen, expected);
    }
    rma::barrier();
    EXPECT_EQ(max.get(), expected) << "round " << round;
    rma::barrier();
  }
}

// ------------------------------------------------------------------ the array

// No power of two, so that blocks end within words.
struct Element {
  std::array<uint8_t, 12> bytes;
  bool operator==(const Element&) const = default;
};
static_assert(std::is_trivially_copyable_v<DistributedArray<Element>>);

size_t rank_count() { return static_cast<size_t>(rma::size()); }

// Sizes that leave ranks without elements, with some and with a full block.
std::vector<size_t> sizes() {
  const size_t n = rank_count();
  return {0, 1, n - 1, n, n + 1, 7 * n - 1, 7 * n, 100};
}

template <typename T>
DistributedArray<T> array_of(size_t size) {
  DistributedArray<T> array;
  array.allocate(size);
  rma::barrier();
  return array;
}

// A range of an array, drawn: none or all of it now and then.
struct Range {
  Range(std::mt19937_64& random, size_t size) {
    first = random() % (size + 1);
    count = random() % (size - first + 1);
    if (random() % 8 == 0) first = 0, count = size;
  }
  size_t first, count;
};

SPMD_TEST(DistributedArray, EachElementLiesOnOneRank) {
  for (const size_t size : sizes()) {
    const auto array = array_of<Element>(size);
    EXPECT_EQ(array.size(), size);
    size_t next = 0;
    for (int r = 0; r < rma::size(); ++r) {
      EXPECT_EQ(array.first_on(r), next);
      for (; next < array.first_on(r + 1); ++next) {
        EXPECT_EQ(array.at(next).rank, r);
        if (r == rma::rank()) {
          EXPECT_EQ(array.at(next).local(),
                    &array.local()[next - array.first_on(r)]);
        }
      }
    }
    EXPECT_EQ(next, size);
    for (const Element& element : array.local()) EXPECT_EQ(element, Element());
  }
}

// Each rank in turn puts a range, and all get some: as from a plain vector. All
// draw the same numbers.
template <typename T>
void compare_with_a_vector(size_t size) {
  std::mt19937_64 random(size);
  const auto array = array_of<T>(size);
  std::vector<T> model(size);
  for (int round = 0; round < 3 * rma::size(); ++round) {
    const Range range(random, size);
    for (size_t i = range.first; i < range.first + range.count; ++i)
      model[i] = T{static_cast<uint8_t>(random())};
    if (round % rma::size() == rma::rank()) {
      array.put(range.first, range.count, model.data() + range.first);
      rma::flush_all();
    }
    rma::barrier();
    const Range a(random, size), b(random, size);
    std::vector<T> got(a.count + b.count), expected;
    for (const Range& each : {a, b}) {
      const auto begin = model.begin() + static_cast<ptrdiff_t>(each.first);
      expected.insert(expected.end(), begin,
                      begin + static_cast<ptrdiff_t>(each.count));
    }
    array.get(a.first, a.count, got.data());
    array.get(b.first, b.count, got.data() + a.count);
    EXPECT_EQ(got, expected);
    got.assign(got.size(), T{});
    array.get_nb(a.first, a.count, got.data());
    array.get_nb(b.first, b.count, got.data() + a.count);
    rma::flush_all();
    EXPECT_EQ(got, expected);
    rma::barrier();
  }
}

SPMD_TEST(DistributedArray, RangesAreThoseOfAVector) {
  for (const size_t size : sizes()) {
    compare_with_a_vector<uint8_t>(size);
    compare_with_a_vector<uint64_t>(size);
    compare_with_a_vector<Element>(size);
  }
}

SPMD_TEST(DistributedArray, ARangeCostsATransferWithEachRank) {
  const size_t size = 5 * rank_count();
  const auto array = array_of<int>(size);
  std::vector<int> all(size);
  const uint64_t ranks = rank_count();
  EXPECT_EQ(costs_of([&] { array.get(0, size, all.data()); }),
            (Costs{.gets = ranks}));
  EXPECT_EQ(costs_of([&] { array.get_nb(0, size, all.data()); }),
            (Costs{.gets = ranks}));
  EXPECT_EQ(costs_of([&] { array.put(size - 5, 5, all.data()); }),
            (Costs{.puts = 1}));
  EXPECT_EQ(costs_of([&] { array.get(size, 0, nullptr); }), Costs{});
  rma::flush_all();
  rma::barrier();
}

// ----------------------------------------------------------------- the report

struct Plain {};
struct Counting {
  OwnCounts own_counts() const {
    return {{"sum", here + 1}, {"most", here, OwnCount::kMost}};
  }
  uint64_t here = static_cast<uint64_t>(rma::rank());
};
struct AnotherOne {
  OwnCounts own_counts() const { return {{"ranks", 1}}; }
};

// A rank's class, which hands on what its parts have counted.
struct RankOfParts {
  OwnCounts own_counts() const {
    return own_counts_of(counting, plain, another);
  }
  Counting counting;
  Plain plain;
  AnotherOne another;
};

void expect_count(const OwnCount& count, std::string_view name,
                  uint64_t value) {
  EXPECT_EQ(count.name, name);
  EXPECT_EQ(count.value, value) << name;
}

SPMD_TEST(Report, OwnCountsOfPartsAreTotals) {
  const auto ranks = static_cast<uint64_t>(rma::size());
  RunReport report;
  report.own_counts = own_counts_of(RankOfParts());
  sum_up({}, {}, &report);
  ASSERT_EQ(report.own_counts.size(), 3u);
  expect_count(report.own_counts[0], "sum", ranks * (ranks + 1) / 2);
  expect_count(report.own_counts[1], "most", ranks - 1);
  expect_count(report.own_counts[2], "ranks", ranks);
}

SPMD_TEST(Report, TheLeastAndTheMostOfTheRanks) {
  const auto ranks = static_cast<uint64_t>(rma::size());
  const auto rank = static_cast<uint64_t>(rma::rank());
  const auto expect_spread = [](const Spread& spread, uint64_t least,
                                uint64_t most) {
    EXPECT_EQ(spread.least, least);
    EXPECT_EQ(spread.most, most);
  };
  RunReport report;
  report.run_ns = 1000;
  sum_up({.deaths = 5 + rank, .steals_ok = 3, .idle_ns = 10 * rank}, {},
         &report);
  expect_spread(report.per_rank.tasks, 5, 4 + ranks);
  expect_spread(report.per_rank.steals_ok, 3, 3);
  expect_spread(report.per_rank.idle_ns, 0, 10 * (ranks - 1));
  expect_spread(report.per_rank.busy_ns, 1000 - 10 * (ranks - 1), 1000);
  EXPECT_EQ(report.run_ns, 1000 * ranks);
  EXPECT_EQ(report.busy_ns, 1000 * ranks - 5 * ranks * (ranks - 1));
}

SPMD_TEST(Report, NobodyIsIdleForLongerThanItRuns) {
  RunReport report;
  report.run_ns = 7;
  sum_up({.idle_ns = 8}, {}, &report);
  EXPECT_EQ(report.per_rank.idle_ns.most, 7u);
  EXPECT_EQ(report.busy_ns, 0u);
}

}  // namespace
}  // namespace magpie
