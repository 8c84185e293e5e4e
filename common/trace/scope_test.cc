#include "common/trace/scope.h"

#include <cstdint>

#include "common/testing/spmd.h"

namespace magpie::trace {
namespace {

// Stretches that follow each other leave no time out; each adds to what there
// was.
SPMD_TEST(Scope, EachEndIsTheNextBeginning) {
  uint64_t searched = 5000, stolen = 0;
  const uint64_t before = rma::now();
  Scope scope;
  const uint64_t begun = rma::now();
  rma::compute(1000);
  scope.end(Event::kSearch, searched);
  rma::compute(2000);
  const uint64_t ending = rma::now();
  scope.end(Event::kSteal, stolen);
  const uint64_t after = rma::now();
  searched -= 5000;
  EXPECT_GE(searched, 1000u);
  EXPECT_GE(stolen, 2000u);
  EXPECT_GE(searched + stolen, ending - begun);
  EXPECT_LE(searched + stolen, after - before);
}

// A stretch begins when the later of two sides has arrived.
SPMD_TEST(Scope, BeginsNoSoonerThanAnotherRankSays) {
  uint64_t total = 0;
  Scope scope;
  const uint64_t early = rma::now();
  rma::compute(100'000);
  scope.begins_no_sooner(rma::now());
  scope.begins_no_sooner(early);
  const uint64_t begun = rma::now();
  scope.end(Event::kOutstandingJoin, total);
  EXPECT_LE(total, rma::now() - begun + 99'999);
}

SPMD_TEST(Scope, AClockThatIsAheadMakesItNoLongerThanNothing) {
  uint64_t total = 7;
  Scope scope;
  scope.begins_no_sooner(rma::now() + uint64_t{1'000'000'000'000});
  scope.end(Event::kOutstandingJoin, total);
  EXPECT_EQ(total, 7u);
}

}  // namespace
}  // namespace magpie::trace
