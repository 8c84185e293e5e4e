// Counters of what a rank has sent over the network, operations and bytes per
// kind, and of what it has served itself, where a network asks that of it.
//
// The papers' communication claims are tests over these counters ("a join on
// the fast path is 0 operations"), so every operation of rma.h is counted, in
// one place, for all backends.

#ifndef MAGPIE_COMMON_RMA_COUNTERS_H_
#define MAGPIE_COMMON_RMA_COUNTERS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace magpie::rma {

enum class Op : uint8_t {
  kGet,
  kPut,
  kFetchAdd,
  kSwap,
  kPutNb,
  kFetchAddNb,
  kFlush,
};

inline constexpr std::array<const char*, 7> kOpNames = {
    "get", "put", "fetch_add", "swap", "put_nb", "fetch_add_nb", "flush"};

// Thread safety: belongs to one rank. Plain numbers, so that reduce() can add
// up those of all ranks.
struct OpCounters {
  struct Count {
    uint64_t operations = 0;
    uint64_t bytes = 0;
    bool operator==(const Count&) const = default;
  };
  std::array<Count, kOpNames.size()> of;

  // Number of others' atomics that this rank served itself, and the time that
  // took. Only a simulated network knows.
  uint64_t served = 0;
  uint64_t serving_ns = 0;
  // Time in rma::poll(): serving atomics, and looking whether there are any.
  uint64_t poll_ns = 0;

  void count(Op op, size_t bytes) {
    Count& c = of[static_cast<size_t>(op)];
    ++c.operations;
    c.bytes += bytes;
  }
  const Count& operator[](Op op) const { return of[static_cast<size_t>(op)]; }

  // Operations of all kinds but flush, which moves no data.
  uint64_t operations() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < of.size(); ++i) {
      if (static_cast<Op>(i) != Op::kFlush) sum += of[i].operations;
    }
    return sum;
  }

  // The counts of what was done since `earlier`.
  OpCounters operator-(const OpCounters& earlier) const {
    using Numbers = std::array<uint64_t, sizeof(OpCounters) / sizeof(uint64_t)>;
    auto d = std::bit_cast<Numbers>(*this);
    const auto e = std::bit_cast<Numbers>(earlier);
    for (size_t i = 0; i < d.size(); ++i) d[i] -= e[i];
    return std::bit_cast<OpCounters>(d);
  }
  bool operator==(const OpCounters&) const = default;
};

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_COUNTERS_H_
