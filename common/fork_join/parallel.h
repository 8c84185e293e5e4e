// Loops by divide and conquer: a range is split in two until `grain` elements
// are left, each half a task, so that a loop is stolen in large pieces first
// (hpdc15 §6.1: zero or two subtasks).

#ifndef MAGPIE_COMMON_FORK_JOIN_PARALLEL_H_
#define MAGPIE_COMMON_FORK_JOIN_PARALLEL_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"

namespace magpie {
namespace internal {
inline void require_grain(int64_t grain) {
  if (grain < 1) [[unlikely]]
    rma::fatal("a loop's grain is below 1");
}

// Whether a conversion loses values: a fraction, or what is larger than
// `bytes`.
template <typename From, typename To>
constexpr bool loses_values(size_t bytes) {
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) {
    if (std::is_floating_point_v<From> != std::is_floating_point_v<To>)
      return std::is_floating_point_v<From>;
    if (std::is_same_v<To, bool>) return !std::is_same_v<From, bool>;
    return sizeof(From) > bytes;
  }
  return false;
}

// Whether combine(T, Mapped), which returns `Combined`, loses values of what it
// is given or of what it returns. Sums of small integers are ints in C++.
template <typename T, typename Mapped, typename Combined>
constexpr bool combining_loses_values() {
  if constexpr (std::is_arithmetic_v<T>) {
    return loses_values<Mapped, T>(sizeof(T)) ||
           loses_values<Combined, T>(sizeof(T() + T())) ||
           loses_values<T, Combined>(sizeof(Combined));
  }
  return false;
}
}  // namespace internal

// Returns combine(...combine(identity, map(first))..., map(last - 1)), in this
// order; `combine` is associative, and `identity` neutral. map(i) may spawn and
// join. Pieces of at most `grain` elements run as a plain loop; a grain below 1
// prints an error and ends the job. An empty range gives `identity`, whose type
// is the result's.
template <typename T, typename Map, typename Combine>
T parallel_reduce(int64_t first, int64_t last, int64_t grain, T identity,
                  Map map, Combine combine) {
  using Mapped = std::invoke_result_t<Map, int64_t>;
  using Combined = std::invoke_result_t<Combine, T, Mapped>;
  static_assert(
      !internal::combining_loses_values<T, Mapped, Combined>(),
      "the identity's type is that of the result, and loses values of what is "
      "combined, or `combine` does: 0 is an int, 0L a long, 0.0 a double");
  internal::require_grain(grain);
  if (last - first <= grain) {
    T sum = identity;
    for (int64_t i = first; i < last; ++i) sum = combine(sum, map(i));
    return sum;
  }
  const int64_t middle = first + (last - first) / 2;
  auto left = spawn([=] {
    return parallel_reduce(first, middle, grain, identity, map, combine);
  });
  const T right = parallel_reduce(middle, last, grain, identity, map, combine);
  return combine(left.join(), right);
}

// Calls body(i) for each i in [first, last), in no order. Bodies and `grain` as
// in parallel_reduce.
template <typename Body>
void parallel_for(int64_t first, int64_t last, int64_t grain, Body body) {
  internal::require_grain(grain);
  if (last - first <= grain) {
    for (int64_t i = first; i < last; ++i) body(i);
    return;
  }
  const int64_t middle = first + (last - first) / 2;
  auto left = spawn([=] { parallel_for(first, middle, grain, body); });
  parallel_for(middle, last, grain, body);
  left.join();
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_PARALLEL_H_
