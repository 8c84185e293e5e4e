// Counts the shortest ways through a grid of streets. Each crossing is a task
// that waits for the one on its left and the one above, and two wait for it: a
// future with two consumers.

#include <array>
#include <cstdint>
#include <cstdio>

#include "common/fork_join/fork_join.h"

constexpr int kSide = 16;
constexpr uint32_t kRight = 0, kBelow = 1;
using Ways = magpie::SharedFuture<int64_t, 2>;

int main(int argc, char** argv) {
  return magpie::run(argc, argv, [] {
    std::array<Ways, kSide> row;  // the last one in each column
    for (int r = 0; r < kSide; ++r) {
      for (int c = 0; c < kSide; ++c) {
        const Ways above = row[c], left = c > 0 ? row[c - 1] : Ways();
        row[c] = magpie::spawn<2>([=]() -> int64_t {
          int64_t ways = r == 0 && c == 0;
          if (c > 0) ways += left.join(kRight);
          if (r > 0) ways += above.join(kBelow);
          return ways;
        });
      }
      // On the right border there is no task that would ask.
      if (r < kSide - 1) row[kSide - 1].discard(kRight);
    }
    for (int c = 0; c < kSide - 1; ++c) row[c].discard(kBelow);
    row[kSide - 1].discard(kBelow);
    std::printf("%ld\n", row[kSide - 1].join(kRight));
  });
}
