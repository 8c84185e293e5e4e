// How many things of a kind there were over time, where the run's length is not
// known before: a fixed number of bins, each of which holds how much of its
// time was covered. When time goes beyond the last bin, bins get twice as wide:
// neighbours become one.

#ifndef MAGPIE_COMMON_TRACE_TIMELINE_H_
#define MAGPIE_COMMON_TRACE_TIMELINE_H_

#include <algorithm>
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
  void add(uint64_t begin, uint64_t end) {
    while (end > covered_.size() * width_) widen(2 * width_);
    for (uint64_t bin = begin / width_; begin < end; ++bin) {
      const uint64_t next = std::min(end, (bin + 1) * width_);
      covered_[bin] += next - begin;
      begin = next;
    }
  }

  // Width of a bin in nanoseconds: 2^n.
  uint64_t width() const { return width_; }
  // Makes bins so wide. REQUIRES: `width` is width() * 2^n.
  void widen(uint64_t width) {
    for (; width_ < width; width_ *= 2) {
      const size_t half = covered_.size() / 2;
      for (size_t i = 0; i < half; ++i)
        covered_[i] = covered_[2 * i] + covered_[2 * i + 1];
      std::fill_n(covered_.rbegin(), half, 0);
    }
  }

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
