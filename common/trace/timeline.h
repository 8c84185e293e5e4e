// How many there were of something over time, without knowing for how long: a
// fixed number of bins, each of which holds how much of its time was covered.
// When the time goes beyond the last one, bins get twice as wide, and
// neighbours become one.

#ifndef MAGPIE_COMMON_TRACE_TIMELINE_H_
#define MAGPIE_COMMON_TRACE_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace magpie::trace {

class Timeline {
 public:
  // Of an even number of bins; where it is odd, of one more.
  explicit Timeline(size_t bins) : covered_((bins + 1) / 2 * 2) {}

  // One of them was there from `begin` to `end`. Nanoseconds, from 0. REQUIRES:
  // there are bins.
  void add(uint64_t begin, uint64_t end);

  // In nanoseconds: 2^n.
  uint64_t width() const { return width_; }
  // Makes them that wide. REQUIRES: it is width() * 2^n.
  void widen(uint64_t width);

  // Of each bin, how many nanoseconds of its time were covered, summed over all
  // that were there.
  std::span<uint64_t> covered() { return covered_; }

 private:
  static constexpr uint64_t kFirstWidth = 1024;

  std::vector<uint64_t> covered_;
  uint64_t width_ = kFirstWidth;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_TIMELINE_H_
