#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "common/trace/recorder.h"
#include "gtest/gtest.h"

namespace magpie::trace {
namespace {

using Covered = std::vector<uint64_t>;

Covered covered(Timeline& timeline) {
  return {timeline.covered().begin(), timeline.covered().end()};
}
uint64_t sum(Timeline& timeline) {
  const Covered all = covered(timeline);
  return std::accumulate(all.begin(), all.end(), uint64_t{0});
}

// The timeline is as if it had been that wide from the beginning: neighbours
// become one. It has an even number of bins.
TEST(Timeline, WideningLosesNothing) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 100; ++run) {
    Timeline grows(7), wide(8);
    wide.widen(1024 << 10);
    uint64_t all = 0, end = 0;
    for (int i = 0; i < 50; ++i) {
      const uint64_t begin = end + random() % 5'000;
      end = begin + random() % 100'000;
      grows.add(begin, end);
      wide.add(begin, end);
      all += end - begin;
    }
    EXPECT_GE(grows.width() * 8, end);
    EXPECT_LT(grows.width() * 4, end);
    EXPECT_EQ(sum(grows), all);
    grows.widen(wide.width());
    EXPECT_EQ(covered(grows), covered(wide));
  }
}

}  // namespace
}  // namespace magpie::trace
