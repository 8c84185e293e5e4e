#include "bench/tsp/bound.h"

#include <algorithm>
#include <cstdint>

#include "common/testing/spmd.h"

namespace magpie::tsp {
namespace {

constexpr uint64_t kBegin = 1'000'000;

// The numbers that a rank brings: less and less, with exceptions.
uint64_t number(int rank, uint64_t i) {
  return 1000 - 7 * i + static_cast<uint64_t>(rank) * 5 % 13 +
         (i % 3 == 1 ? 30 : 0);
}

SPMD_TEST(Bound, AllKnowTheLeast) {
  constexpr uint64_t kNumbers = 8;
  const Bound bound(kBegin);
  EXPECT_EQ(bound.known(), kBegin);
  rma::barrier();
  for (uint64_t i = 0; i < kNumbers; ++i) bound.lower(number(rma::rank(), i));
  rma::barrier();
  uint64_t least = kBegin;
  for (int rank = 0; rank < rma::size(); ++rank)
    for (uint64_t i = 0; i < kNumbers; ++i)
      least = std::min(least, number(rank, i));
  EXPECT_EQ(bound.known(), least);
}

// All ranks bring one number each, at once; later ranks bring lesser ones.
SPMD_TEST(Bound, OfOneEach) {
  const Bound bound(kBegin);
  rma::barrier();
  bound.lower(kBegin - 1 - static_cast<uint64_t>(rma::rank()));
  rma::barrier();
  EXPECT_EQ(bound.known(), kBegin - static_cast<uint64_t>(rma::size()));
}

// A number that one rank brings is known to all when lower() returns; a number
// that is not less changes nothing, and costs its bringer one word, or two.
SPMD_TEST(Bound, IsKnownWhenItIsBrought) {
  const Bound bound(kBegin);
  rma::barrier();
  const int last = rma::size() - 1;
  if (rma::rank() == last) bound.lower(500);
  rma::barrier();
  EXPECT_EQ(bound.known(), 500u);
  rma::barrier();
  const rma::OpCounters before = rma::self().counters;
  if (rma::rank() == last) {
    bound.lower(500);
    bound.lower(501);
    // 501 is taken out again, and 500, which was found there, put back.
    EXPECT_LE((rma::self().counters - before).operations(), 5u);
  }
  rma::barrier();
  EXPECT_EQ(bound.known(), 500u);
  rma::barrier();
}

}  // namespace
}  // namespace magpie::tsp

SPMD_MAIN({.region_bytes = 1 << 16, .heap_bytes = 1 << 20});
