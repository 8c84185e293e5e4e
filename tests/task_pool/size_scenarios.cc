// Tasks of sizes that fill slots more or less, and of every alignment, and
// roots that say how large their tasks are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

// A task whose bytes follow from its first one.
template <size_t kBytes, size_t kAlign>
struct alignas(kAlign) Sized {
  unsigned char bytes[kBytes];

  static unsigned char byte(unsigned char first, size_t i) {
    return static_cast<unsigned char>(first + 37 * i);
  }
  explicit Sized(int first) {
    for (size_t i = 0; i < kBytes; ++i)
      bytes[i] = byte(static_cast<unsigned char>(first), i);
  }
  void operator()() const {
    expect_equal("an address modulo its alignment",
                 reinterpret_cast<uintptr_t>(this) % kAlign, 0);
    for (size_t i = 0; i < kBytes; ++i)
      expect_equal("a byte of a task", bytes[i], byte(bytes[0], i));
    merge(uint64_t{kBytes});
  }
};

// Adds tasks of the largest sizes, down from kLargest bytes, at every rank, and
// there the largest with each alignment.
template <size_t kLargest>
struct LargestSizes {
  static constexpr uint32_t kTaskBytes = kLargest;
  // Sizes that leave each number of bytes of a slot's last word unused.
  static constexpr size_t kSizes = std::min<size_t>(kLargest, 8);

  void operator()() const {
    for (int rank = 0; rank < rma::size(); ++rank) {
      [&]<size_t... kLess>(std::index_sequence<kLess...>) {
        (add_at(rank, Sized<kLargest - kLess, 1>(rank)), ...);
      }
      (std::make_index_sequence<kSizes>());
      [&]<size_t... kLog>(std::index_sequence<kLog...>) {
        (aligned<size_t{1} << kLog>(rank), ...);
      }
      (std::make_index_sequence<7>());
    }
  }

  template <size_t kAlign>
  static void aligned(int rank) {
    if constexpr (kLargest >= kAlign) {
      using Task = Sized<kLargest / kAlign * kAlign, kAlign>;
      add_at(rank, Task(rank + 1));
    }
  }
};

// A root that does not say how large its tasks are.
struct AnySize {
  void operator()() const { LargestSizes<kMaxTaskBytes>{}(); }
};

template <size_t kLargest, typename Root = LargestSizes<kLargest>>
void run_sizes(const Parameters& p) {
  uint64_t bytes = 0;
  for (uint64_t less = 0; less < LargestSizes<kLargest>::kSizes; ++less)
    bytes += kLargest - less;
  for (uint64_t align = 1; align <= kMaxTaskAlign; align *= 2)
    bytes += kLargest / align * align;
  const auto ran = run(p, Root());
  expect_equal("bytes of tasks", ran.result, ran.ranks * bytes);
}

// The smallest task, and the largest of each slot.
SCENARIO(sizes) {
  run_sizes<1>(p);
  run_sizes<24>(p);
  run_sizes<56>(p);
  run_sizes<120>(p);
  run_sizes<kMaxTaskBytes, AnySize>(p);
}

}  // namespace
}  // namespace magpie::pool_conformance
