#include "impl/glb_lifeline/finishes.h"

#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::glb {
namespace {

// One after the other: when the root goes on each rank has entered the finish,
// once; and when there is none any more no rank waits.
void begin_so_many(uint64_t finishes_in_a_row) {
  const auto ranks = static_cast<uint64_t>(rma::size());
  const auto entered = rma::allocate<rma::Word>().at(0);
  Finishes finishes;
  rma::barrier();
  uint64_t here = 0;
  const auto enter = [&] {
    ++here;
    rma::fetch_add_nb(entered, 1, nullptr);
  };
  if (rma::rank() == 0) {
    for (uint64_t finish = 1; finish <= finishes_in_a_row; ++finish) {
      finishes.begin(enter);
      EXPECT_EQ(rma::get_word(entered), finish * ranks);
    }
    finishes.end();
  } else {
    while (finishes.wait(enter)) {
      EXPECT_GE(rma::get_word(entered), (here - 1) * ranks + 1);
      rma::flush_all();
    }
  }
  EXPECT_EQ(here, finishes_in_a_row);
  rma::flush_all();
  rma::barrier();
}

SPMD_TEST(Finishes, HaveBegunOnAllRanks) { begin_so_many(7); }

SPMD_TEST(Finishes, MayBeNone) { begin_so_many(0); }

}  // namespace
}  // namespace magpie::glb

SPMD_MAIN({.region_bytes = 1 << 16, .heap_bytes = 1 << 16});
