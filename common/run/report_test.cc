// What the ranks' parts have counted becomes one report, on all of them.

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

// As a class of one rank hands on what its parts have counted.
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

SPMD_TEST(Report, NoOwnCountsWhereNoPartHasAny) {
  RunReport report;
  report.own_counts = own_counts_of(Plain());
  sum_up({}, {}, &report);
  EXPECT_TRUE(report.own_counts.empty());
}

SPMD_TEST(Report, StatsAreSumsAndTheRegionTheMost) {
  const auto ranks = static_cast<uint64_t>(rma::size());
  const auto rank = static_cast<uint64_t>(rma::rank());
  RunReport report;
  report.region_bytes_max = 10 * rank;
  rma::OpCounters counters;
  counters.count(rma::Op::kGet, 8);
  sum_up({.spawns = rank, .outstanding_join_ns = 2}, counters, &report);
  EXPECT_EQ(report.ranks, rma::size());
  EXPECT_EQ(report.region_bytes_max, 10 * (ranks - 1));
  EXPECT_EQ(report.stats.spawns, ranks * (ranks - 1) / 2);
  EXPECT_EQ(report.stats.outstanding_join_ns, 2 * ranks);
  EXPECT_EQ(report.rma[rma::Op::kGet].operations, ranks);
  EXPECT_EQ(report.rma[rma::Op::kGet].bytes, 8 * ranks);
}

}  // namespace
}  // namespace magpie

SPMD_MAIN({.heap_bytes = 1 << 16});
