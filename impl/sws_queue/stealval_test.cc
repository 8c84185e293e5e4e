#include "impl/sws_queue/stealval.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "impl/sws_queue/split_queue.h"

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

}  // namespace
}  // namespace magpie::sws_queue
