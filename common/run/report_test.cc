// The counts of all ranks' parts become one report, on all ranks.

#include "common/run/report.h"

#include <cstdint>
#include <string_view>

#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

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
