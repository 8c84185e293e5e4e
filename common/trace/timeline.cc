#include "common/trace/timeline.h"

#include <algorithm>

namespace magpie::trace {

void Timeline::add(uint64_t begin, uint64_t end) {
  while (end > covered_.size() * width_) widen(2 * width_);
  for (uint64_t bin = begin / width_; begin < end; ++bin) {
    const uint64_t next = std::min(end, (bin + 1) * width_);
    covered_[bin] += next - begin;
    begin = next;
  }
}

void Timeline::widen(uint64_t width) {
  for (; width_ < width; width_ *= 2) {
    const size_t half = covered_.size() / 2;
    for (size_t i = 0; i < half; ++i)
      covered_[i] = covered_[2 * i] + covered_[2 * i + 1];
    std::fill(covered_.begin() + static_cast<ptrdiff_t>(half), covered_.end(),
              0);
  }
}

}  // namespace magpie::trace
