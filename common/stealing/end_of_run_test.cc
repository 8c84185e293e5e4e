#include <cstdint>

#include "common/stealing/group.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// Round after round ends, each by another rank: none is over early, and none is
// missed, though the one that ends a round may learn of it before others have
// learnt of the last one.
SPMD_TEST(EndOfRun, RoundsFollowEachOther) {
  constexpr int kRounds = 12;
  EndOfRun end;
  const auto ended = rma::allocate<rma::Word>().at(0);
  rma::barrier();
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) end.begin_next();
    if (round % rma::size() == rma::rank()) {
      EXPECT_FALSE(end.poll());
      rma::fetch_add(ended, 1);
      end.announce();
    }
    while (!end.poll()) rma::idle();
    EXPECT_GE(rma::get_word(ended), static_cast<uint64_t>(round) + 1);
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(rma::get_word(ended), uint64_t{kRounds});
}

}  // namespace
}  // namespace magpie
