// Tests that fail on purpose, for failure_test.sh.

#include <string>

#include "common/rma/rma.h"
#include "common/testing/once.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

constexpr int kCulprit = 1;

SPMD_TEST(Fails, ExpectOnOneRank) {
  EXPECT_NE(rma::rank(), kCulprit) << "two\nlines";
  rma::barrier();
}

SPMD_TEST(Fails, InALoop) {
  for (int i = 0; rma::rank() == kCulprit && i < 1000; ++i)
    EXPECT_LT(i, 500) << "round " << i;
  rma::barrier();
}

SPMD_TEST(Fails, OnceForALoop) {
  spmd::Once once("a round is odd");
  for (int i = 0; rma::rank() == kCulprit && i < 1000; ++i)
    once.expect(i % 2 == 0, [=] { return "round " + std::to_string(i); });
}

SPMD_TEST(Fails, MoreThanItSays) {
  struct Part {
    explicit Part(size_t words) : word(rma::allocate<rma::Word>(words)) {}
    const rma::RemotePtr<rma::Word> word;
  };
  spmd::made_within<Part>(rma::allocated_bytes<rma::Word>(3), "a part",
                          size_t{3});
  spmd::made_within<Part>(rma::allocated_bytes<rma::Word>(1), "a part",
                          size_t{3});
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
