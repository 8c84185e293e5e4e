#include "common/trace/ring.h"

#include <array>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace magpie::trace {
namespace {

// The records' times, oldest first, as rank 0 reads them.
template <size_t kPlaces>
std::vector<uint64_t> times(const Ring& ring,
                            const std::array<Record, kPlaces>& places) {
  std::vector<uint64_t> times;
  for (size_t i = 0; i < ring.size(); ++i)
    times.push_back(places[(ring.oldest() + i) % kPlaces].begin);
  return times;
}

void push(Ring* ring, uint64_t begin, uint64_t end) {
  for (; begin < end; ++begin) ring->push({begin, begin, 0, -1, Event::kBusy});
}

using Times = std::vector<uint64_t>;

TEST(Ring, KeepsTheLast) {
  std::array<Record, 4> places;
  Ring ring(places);
  EXPECT_TRUE(ring.empty());
  push(&ring, 0, 3);
  EXPECT_EQ(times(ring, places), (Times{0, 1, 2}));
  EXPECT_EQ(ring.dropped(), 0u);
  push(&ring, 3, 4);
  EXPECT_EQ(times(ring, places), (Times{0, 1, 2, 3}));
  EXPECT_EQ(ring.dropped(), 0u);
  push(&ring, 4, 11);
  EXPECT_EQ(times(ring, places), (Times{7, 8, 9, 10}));
  EXPECT_EQ(ring.dropped(), 7u);
}

// Records that were dropped stay away.
TEST(Ring, TakesBackTheNewest) {
  std::array<Record, 4> places;
  Ring ring(places);
  push(&ring, 0, 6);
  EXPECT_EQ(ring.newest().begin, 5u);
  ring.take_back();
  ring.take_back();
  EXPECT_EQ(times(ring, places), (Times{2, 3}));
  EXPECT_EQ(ring.dropped(), 2u);
  push(&ring, 6, 9);
  EXPECT_EQ(times(ring, places), (Times{3, 6, 7, 8}));
  EXPECT_EQ(ring.dropped(), 3u);
  for (int i = 0; i < 4; ++i) ring.take_back();
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, OfOnePlace) {
  std::array<Record, 1> places;
  Ring ring(places);
  push(&ring, 0, 3);
  EXPECT_EQ(times(ring, places), Times{2});
  EXPECT_EQ(ring.dropped(), 2u);
  ring.take_back();
  push(&ring, 3, 4);
  EXPECT_EQ(times(ring, places), Times{3});
  EXPECT_EQ(ring.dropped(), 2u);
}

TEST(Ring, WithoutPlacesDropsAll) {
  Ring ring({});
  push(&ring, 0, 3);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.dropped(), 3u);
}

}  // namespace
}  // namespace magpie::trace
