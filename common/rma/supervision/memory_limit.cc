#include "common/rma/supervision/memory_limit.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/machine.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma::internal {

SegmentLayout with_aligned_heap(SegmentLayout layout) {
  layout.region_bytes =
      round_up(std::min<size_t>(layout.region_bytes, kTooManyBytes), 64);
  return layout;
}

uint64_t segment_bytes(const SegmentLayout& layout) {
  constexpr uint64_t kMost = kTooManyBytes;
  return std::min(kMost, std::min<uint64_t>(layout.region_bytes, kMost) +
                             std::min<uint64_t>(layout.heap_bytes, kMost) +
                             gap_bytes());
}

std::string too_much_memory(int ranks, int here, uint64_t segment_bytes) {
  const uint64_t available = available_memory();
  const auto n = static_cast<uint64_t>(here);
  if (segment_bytes <= available / n) return {};
  const uint64_t fit = available / segment_bytes;
  return absl::StrCat(
      "--ranks=", ranks, ": segments of ", segment_bytes >> 10, " KiB for ", n,
      " ranks of this machine need ", (n * (segment_bytes >> 10)) >> 10,
      " MiB of memory, available are ", available >> 20, " MiB; ",
      fit > 0 ? absl::StrCat("at most ", fit, " ranks fit, more with ")
              : "none fits; use ",
      "smaller segments (flags that end in _bytes)");
}

}  // namespace magpie::rma::internal
