#include <cstdint>

#include "common/stealing/group.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// A member ends the run: all members learn of that, and not before.
void one_member_ends_it(const Group& group, int by) {
  EndOfRun end(group);
  const auto announced = rma::allocate<rma::Word>().at(0);
  rma::barrier();
  if (group.has(rma::rank())) {
    if (group.rank(by) == rma::rank()) {
      EXPECT_FALSE(end.poll());
      rma::put_word(announced, 1);
      rma::flush(0);
      end.announce();
    }
    while (!end.poll()) rma::idle();
    EXPECT_TRUE(end.poll());
    EXPECT_EQ(rma::get_word(announced), 1u);
  }
  rma::flush_all();
  rma::barrier();
}

SPMD_TEST(EndOfRun, AnyMemberEndsIt) {
  for (int first = 0; first < rma::size(); ++first) {
    for (const int part : {1, 2}) {
      const Group group = {.first = first,
                           .size = (rma::size() - first - 1) / part + 1};
      for (int by = 0; by < group.size; ++by) one_member_ends_it(group, by);
    }
  }
}

// Epoch after epoch ends, each by another rank: none is over early, and none is
// missed, though the one that ends an epoch may learn of it before others have
// learnt of the last one.
SPMD_TEST(EndOfRun, EpochsFollowEachOther) {
  constexpr int kEpochs = 12;
  EndOfRun end;
  const auto ended = rma::allocate<rma::Word>().at(0);
  rma::barrier();
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    if (epoch > 0) end.begin_next();
    if (epoch % rma::size() == rma::rank()) {
      EXPECT_FALSE(end.poll());
      rma::fetch_add(ended, 1);
      end.announce();
    }
    while (!end.poll()) rma::idle();
    EXPECT_GE(rma::get_word(ended), static_cast<uint64_t>(epoch) + 1);
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(rma::get_word(ended), uint64_t{kEpochs});
}

}  // namespace
}  // namespace magpie
