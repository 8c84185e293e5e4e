// How many things of a kind there were over time, where the run's length is not
// known before: a fixed number of bins, each of which holds how much of its
// time was covered. When time goes beyond the last bin, bins get twice as wide:
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
  // A timeline of `bins` bins, rounded up to an even number.
  explicit Timeline(size_t bins) : covered_((bins + 1) / 2 * 2) {}

  // Adds a thing that was there from `begin` to `end`. Nanoseconds, from 0.
  // REQUIRES: there are bins.
  void add(uint64_t begin, uint64_t end);

  // Width of a bin in nanoseconds: 2^n.
  uint64_t width() const { return width_; }
  // Makes bins so wide. REQUIRES: `width` is width() * 2^n.
  void widen(uint64_t width);

  // Nanoseconds of each bin that were covered, summed over all things that were
  // there.
  std::span<uint64_t> covered() { return covered_; }

 private:
  static constexpr uint64_t kFirstWidth = 1024;

  std::vector<uint64_t> covered_;
  uint64_t width_ = kFirstWidth;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_TIMELINE_H_
