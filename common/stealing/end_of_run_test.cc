#include "common/stealing/end_of_run.h"

#include <cstdint>

#include "common/testing/spmd.h"

namespace magpie {
namespace {

// A member ends it: all members learn of that, and not before.
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
    for (const int stride : {1, 2}) {
      const Group group = {.first = first,
                           .size = (rma::size() - first - 1) / stride + 1,
                           .stride = stride};
      for (int by = 0; by < group.size; ++by) one_member_ends_it(group, by);
    }
  }
}

}  // namespace
}  // namespace magpie

SPMD_MAIN({.region_bytes = 1 << 16, .heap_bytes = 1 << 20});
