#include "common/task_pool/finishes.h"

#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// Finishes begin one after the other: when the root goes on each rank has
// entered the finish, once; after the last one no rank waits.
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

// Expects what a call costs on all ranks together.
void expect_costs_of_all(const Costs& costs, uint64_t puts,
                         uint64_t fetch_adds) {
  uint64_t sums[] = {costs.puts, costs.fetch_adds,
                     costs.gets + costs.swaps + costs.fetch_adds_nb};
  rma::reduce(sums, 3, rma::Reduction::kSum);
  if (rma::rank() != 0) return;
  EXPECT_EQ(sums[0], puts);
  EXPECT_EQ(sums[1], fetch_adds);
  EXPECT_EQ(sums[2], 0u);
}

// To begin one takes a fetch_add, and of each rank but one four puts; to end
// the last takes a fetch_add and a put each. A fetch_add more wakes each rank.
SPMD_TEST(Finishes, Costs) {
  const auto others = static_cast<uint64_t>(rma::size()) - 1;
  Finishes finishes;
  rma::barrier();
  for (int finish = 0; finish < 3; ++finish) {
    const Costs costs = costs_of([&] {
      if (rma::rank() == 0)
        finishes.begin([] {});
      else
        EXPECT_TRUE(finishes.wait([] {}));
    });
    rma::flush_all();
    expect_costs_of_all(costs, 4 * others, 2 + others);
  }
  const Costs costs = costs_of([&] {
    if (rma::rank() == 0)
      finishes.end();
    else
      EXPECT_FALSE(finishes.wait([] {}));
  });
  rma::flush_all();
  expect_costs_of_all(costs, others, 2 + others);
}

}  // namespace
}  // namespace magpie
