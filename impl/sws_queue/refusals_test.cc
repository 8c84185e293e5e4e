// Queues that a stealval is too narrow for print an error and end the job when
// they are made.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/stealval.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie::sws_queue {
namespace {

// Threads refuse queues of which steals take several items.
static_assert(!SwsQueue<int>::kTakesOne && !SdcQueue<int>::kTakesOne);
static_assert(SwsQueue<int, One, LongRing>::kTakesOne);

template <typename Queue, size_t kCapacity>
void make() {
  const auto rank_main = [](void*) {
    Queue queue({.capacity = kCapacity});
    return 0;
  };
  flags::App app;
  rma::add_options(app);
  flags::parse_rest_or_exit(app, {"--ranks=2"});
  std::exit(rma::launch({.heap_bytes = 1 << 20}, rank_main, nullptr));
}

const testing::ExitedWithCode kRefused(1), kMade(0);

// 3 bits count up to 7 attempts: 3 steals of 4 tasks, and one of each rank.
TEST(Refusals, AttemptsThatTheFieldCannotCount) {
  using Fits = Stealval<3, 2, 3, 3, 2>;
  using Narrow = Stealval<2, 2, 3, 3, 2>;
  EXPECT_EXIT((make<SwsQueue<int, Half, Fits>, 4>()), kMade, "^$");
  EXPECT_EXIT((make<SwsQueue<int, Half, Narrow>, 4>()), kRefused,
              "attempts to steal from a queue of 4 tasks by 2 ranks: the "
              "stealval counts fewer than 4\n");
  // There are as many steals as tasks.
  EXPECT_EXIT((make<SwsQueue<int, One, Fits>, 7>()), kRefused,
              "from a queue of 7 tasks");
}

TEST(Refusals, PlacesThatTheTailCannotTellApart) {
  using Narrow = Stealval<24, 2, 3, 3, 2>;
  EXPECT_EXIT((make<SwsQueue<int, Half, Narrow>, 8>()), kMade, "^$");
  EXPECT_EXIT((make<SwsQueue<int, Half, Narrow>, 9>()), kRefused,
              "a queue of 9 tasks: the stealval's tail tells 8 places apart");
}

}  // namespace
}  // namespace magpie::sws_queue
