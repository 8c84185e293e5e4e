#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "common/trace/recorder.h"
#include "gtest/gtest.h"

namespace magpie::trace {
namespace {

// Compares a ring with a queue of all that it keeps, as rank 0 reads it, oldest
// first. Records that were dropped stay away when newer ones are taken back.
TEST(Ring, KeepsTheLastThatWereNotTakenBack) {
  std::mt19937_64 random(1);
  for (const size_t size : {0, 1, 2, 4, 5}) {
    std::vector<Record> places(size);
    Ring ring(places);
    std::deque<uint64_t> kept;
    uint64_t dropped = 0;
    for (uint64_t time = 0; time < 1000; ++time) {
      if (random() % 3 == 0 && !kept.empty()) {
        ring.take_back();
        kept.pop_back();
      } else {
        ring.push({time, time, 0, -1, Event::kBusy});
        kept.push_back(time);
        if (kept.size() > size) {
          kept.pop_front();
          ++dropped;
        }
      }
      ASSERT_EQ(ring.empty(), kept.empty());
      ASSERT_EQ(ring.size(), kept.size());
      ASSERT_EQ(ring.dropped(), dropped);
      if (kept.empty()) continue;
      ASSERT_EQ(ring.newest().begin, kept.back());
      for (size_t i = 0; i < kept.size(); ++i)
        ASSERT_EQ(places[(ring.oldest() + i) % size].begin, kept[i]);
    }
  }
}

}  // namespace
}  // namespace magpie::trace
