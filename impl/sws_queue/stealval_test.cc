// The stealval's fields, what steals take of what it tells, and queues that it
// is too narrow for: these print an error and end the job when they are made.

#include "impl/sws_queue/stealval.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/split_queue.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie::sws_queue {
namespace {

std::vector<uint64_t> sizes(uint64_t itasks) {
  std::vector<uint64_t> sizes;
  for (uint64_t n = 0; n < Half::steals(itasks); ++n)
    sizes.push_back(Half::block(itasks, n).size);
  return sizes;
}

// icpp21 §4 and Fig. 3: 150 tasks from 500 on, two steals attempted.
TEST(Stealval, TheExampleOfThePaper) {
  const auto value =
      FirstVersion{.asteals = 2, .epoch = 0, .itasks = 150, .tail = 500};
  EXPECT_EQ(value.pack(), 0x00'0002'0'00'9600'1F4u);
  const auto seen = FirstVersion::unpack(value.pack());
  EXPECT_EQ(seen, value);
  EXPECT_FALSE(seen.is_disabled());
  const Block next = Half::block(seen.itasks, seen.asteals);
  EXPECT_EQ(next.size, 19u);
  EXPECT_EQ(seen.tail + next.first, 612u);
  EXPECT_EQ(sizes(150), (std::vector<uint64_t>{75, 37, 19, 9, 5, 2, 1, 1, 1}));
}

// Blocks follow each other and are all there is, whatever was offered.
template <typename Volume>
void expect_whole(uint64_t itasks) {
  uint64_t first = 0;
  const uint64_t steals = Volume::steals(itasks);
  for (uint64_t n = 0; n < steals; ++n) {
    const Block block = Volume::block(itasks, n);
    ASSERT_EQ(block.first, first) << itasks << ", " << n;
    ASSERT_EQ(block.size, Volume::of(itasks - first));
    ASSERT_GT(block.size, 0u);
    first += block.size;
  }
  ASSERT_EQ(first, itasks);
  for (const uint64_t n : {steals, steals + 1, uint64_t{1} << 24})
    ASSERT_EQ(Volume::block(itasks, n), (Block{itasks, 0}));
}

TEST(Volume, BlocksAreAllThereIs) {
  for (uint64_t itasks = 0; itasks < 2000; ++itasks) {
    expect_whole<Half>(itasks);
    if (itasks < 200) expect_whole<One>(itasks);
  }
  expect_whole<Half>(WithEpochs::max_itasks);
  EXPECT_EQ(Half::steals(WithEpochs::max_itasks), 20u);
}

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
              "a queue of 4 tasks on 2 ranks, with up to 5 attempts to steal: "
              "the stealval .* counts fewer than 4 attempts\n");
  // There are as many steals as tasks.
  EXPECT_EXIT((make<SwsQueue<int, One, Fits>, 7>()), kRefused,
              "a queue of 7 tasks on 2 ranks, with up to 9 attempts");
}

TEST(Refusals, PlacesThatTheTailCannotTellApart) {
  using Narrow = Stealval<24, 2, 3, 3, 2>;
  EXPECT_EXIT((make<SwsQueue<int, Half, Narrow>, 8>()), kMade, "^$");
  EXPECT_EXIT((make<SwsQueue<int, Half, Narrow>, 9>()), kRefused,
              "a queue of 9 tasks on .*: the stealval tells 8 places apart");
}

}  // namespace
}  // namespace magpie::sws_queue
