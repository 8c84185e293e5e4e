// Tasks of every size and alignment, and roots that say how large their tasks
// are.

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

// Adds tasks of the `n` largest sizes of 1, 2, ..., kLargest bytes at every
// rank, and there the largest with each alignment.
template <size_t kLargest>
struct EverySize {
  static constexpr uint32_t kTaskBytes = kLargest;
  uint64_t n;

  void operator()() const {
    for (int rank = 0; rank < rma::size(); ++rank) {
      [&]<size_t... kLess>(std::index_sequence<kLess...>) {
        ((n + kLess < kLargest ? void()
                               : add_at(rank, Sized<kLess + 1, 1>(rank))),
         ...);
      }
      (std::make_index_sequence<kLargest>());
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
  uint64_t n;
  void operator()() const { EverySize<kMaxTaskBytes>{n}(); }
};

// The bytes of all tasks that EverySize<largest> adds at a rank.
uint64_t bytes_of_all(uint64_t largest, uint64_t n) {
  uint64_t sum = sum_below(largest + 1);
  if (n < largest) sum -= sum_below(largest - n + 1);
  for (uint64_t align = 1; align <= kMaxTaskAlign; align *= 2)
    sum += largest / align * align;
  return sum;
}

template <typename Root>
void run_sizes(const Parameters& p, uint64_t largest) {
  const auto n = static_cast<uint64_t>(p.n);
  const auto ran = run(p, Root{n});
  expect_equal("bytes of tasks", ran.result,
               ran.ranks * bytes_of_all(largest, n));
}

template <size_t... kLargest>
void run_all(const Parameters& p) {
  (run_sizes<EverySize<kLargest>>(p, kLargest), ...);
}

SCENARIO(every_size) {
  run_all<1, 8, 24, 25, 56, 120>(p);
  run_sizes<AnySize>(p, kMaxTaskBytes);
}

}  // namespace
}  // namespace magpie::pool_conformance
