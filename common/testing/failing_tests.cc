// Tests that fail on purpose, for failure_test.sh.

#include "common/testing/spmd.h"

namespace magpie {
namespace {

constexpr int kCulprit = 1;

SPMD_TEST(Fails, ExpectOnOneRank) {
  EXPECT_NE(rma::rank(), kCulprit) << "two\nlines";
  rma::barrier();
}

// Runs after the failed one: the ranks are still in step.
SPMD_TEST(Fails, NothingHere) {
  uint64_t ranks = 1;
  rma::reduce(&ranks, 1, rma::Reduction::kSum);
  EXPECT_EQ(ranks, static_cast<uint64_t>(rma::size()));
}

SPMD_TEST(Fails, AssertBeforeBarrier) {
  ASSERT_NE(rma::rank(), kCulprit);
  rma::barrier();
  rma::barrier();
}

SPMD_TEST(Fails, ExceptionBeforeBarrier) {
  if (rma::rank() == kCulprit) throw 1;
  rma::barrier();
}

SPMD_TEST(Skips, OnAllRanks) { GTEST_SKIP() << "all of them"; }

}  // namespace
}  // namespace magpie

SPMD_MAIN({.region_bytes = 1 << 20, .heap_bytes = 1 << 20});
