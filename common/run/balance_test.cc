// Words at the end of a run where tasks are left, or were run too often.

#include <gtest/gtest.h>

#include "common/rma/rma.h"
#include "common/run/run.h"

namespace magpie {
namespace {

// Ends a run in which rank 0 has the balance `mine`; other ranks' are even.
template <Facade kFacade>
int end_with(const Balance& mine) {
  rma::SegmentLayout layout;
  layout.heap_bytes = 1 << 16;
  Balance given = mine;
  return rma::launch(
      layout,
      [](void* arg) {
        const auto& of_rank_0 = *static_cast<const Balance*>(arg);
        check_balance(rma::rank() == 0 ? of_rank_0 : Balance{7, 7, 0, 0},
                      kFacade);
        return 0;
      },
      &given, sizeof(given));
}

const auto kRefused = testing::ExitedWithCode(1);

template <Facade kFacade>
void end_and_exit(const Balance& mine) {
  std::exit(end_with<kFacade>(mine));
}

TEST(BalanceDeathTest, ForkJoinSpeaksOfFutures) {
  for (const Balance& mine :
       {Balance{4, 3, 0, 0}, Balance{3, 3, 1, 0}, Balance{3, 3, 0, 1}}) {
    EXPECT_EXIT(end_and_exit<Facade::kForkJoin>(mine), kRefused,
                "^magpie: rank 0: at the end of the run .* tasks were spawned, "
                ".*; each future is to be joined or discarded once\n$");
  }
}

TEST(BalanceDeathTest, APoolSpeaksOfItsTasks) {
  for (const Balance& mine : {Balance{4, 3, 0, 0}, Balance{3, 4, 0, 0}}) {
    EXPECT_EXIT(end_and_exit<Facade::kPool>(mine), kRefused,
                "^magpie: rank 0: at the end of the run .* tasks were added "
                "and .* were run: a pool runs each once, .*\n$");
  }
}

TEST(BalanceDeathTest, SilentWhereAllIsOver) {
  const auto well = testing::ExitedWithCode(0);
  EXPECT_EXIT(end_and_exit<Facade::kForkJoin>({3, 3, 0, 0}), well, "^$");
  EXPECT_EXIT(end_and_exit<Facade::kPool>({3, 3, 0, 0}), well, "^$");
}

}  // namespace
}  // namespace magpie
