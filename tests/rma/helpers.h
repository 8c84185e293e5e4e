// Helpers that the cases share.

#ifndef MAGPIE_TESTS_RMA_HELPERS_H_
#define MAGPIE_TESTS_RMA_HELPERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "common/rma/rma.h"

namespace magpie {

// rma::rank() and rma::size(), for arithmetic with words and sizes.
inline uint64_t this_rank() { return static_cast<uint64_t>(rma::rank()); }
inline uint64_t rank_count() { return static_cast<uint64_t>(rma::size()); }

// The rank `hop` places after this one. With hop 0, or in a job of one rank, it
// is this one: run over {0, 1}, a case covers self-targeted operations too.
inline int neighbour(int hop) { return (rma::rank() + hop) % rma::size(); }

// Waits for another rank, as a runtime does.
template <typename Condition>
void wait_until(Condition condition) {
  while (!condition()) rma::idle();
}

// Returns when all operations that any rank has issued are complete.
// Collective.
inline void complete_all() {
  rma::flush_all();
  rma::barrier();
}

template <typename T>
rma::RemotePtr<std::byte> as_bytes(rma::RemotePtr<T> object) {
  return {object.rank, object.offset};
}

// Random bytes, the same on every rank for the same seed.
inline std::vector<std::byte> random_bytes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    const uint64_t word = random();
    std::memcpy(&bytes[i], &word, std::min(count - i, sizeof(word)));
  }
  return bytes;
}

inline bool equal_bytes(const std::byte* a, const std::vector<std::byte>& b) {
  return std::memcmp(a, b.data(), b.size()) == 0;
}

// Memory for the bytes of transfer tests, at the same place in every rank's
// heap or region.
class Arena {
 public:
  // Collective.
  static Arena in_heap(size_t bytes) {
    const rma::RemotePtr<std::byte> p = rma::allocate_bytes(bytes, 64);
    return Arena(p.offset, p.local());
  }
  // The region's first bytes.
  static Arena in_region(size_t bytes) {
    std::byte* const region = rma::self().region;
    rma::use_region(region, region + bytes);
    return Arena(rma::region_ptr(rma::rank(), region).offset, region);
  }

  rma::RemotePtr<std::byte> on(int rank, size_t at = 0) const {
    return {rank, offset_ + at};
  }
  // Address in the calling rank's own arena.
  std::byte* local(size_t at = 0) const { return local_ + at; }

 private:
  Arena(uint64_t offset, std::byte* local) : offset_(offset), local_(local) {}
  uint64_t offset_;
  std::byte* local_;
};

// A word that shares its cache line with no other.
struct alignas(64) Line {
  rma::Word word;
};

inline rma::RemotePtr<rma::Word> word_of(rma::RemotePtr<Line> line) {
  return line.field(&Line::word);
}

// Whether the sum of counts[i] over all ranks is `expected` for every i.
// Collective.
inline bool all_ranks_sum_to(std::vector<uint64_t> counts, uint64_t expected) {
  rma::reduce(counts.data(), counts.size(), rma::Reduction::kSum);
  for (uint64_t count : counts) {
    if (count != expected) return false;
  }
  return true;
}

// Whether all ranks passed the same values. Collective.
inline bool same_on_all_ranks(const std::vector<uint64_t>& values) {
  std::vector<uint64_t> low = values, high = values;
  rma::reduce(low.data(), low.size(), rma::Reduction::kMin);
  rma::reduce(high.data(), high.size(), rma::Reduction::kMax);
  return low == high;
}

}  // namespace magpie

#endif  // MAGPIE_TESTS_RMA_HELPERS_H_
