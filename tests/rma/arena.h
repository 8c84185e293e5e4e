// Where transfer tests put their bytes: the same place in every rank's heap or
// region.

#ifndef MAGPIE_TESTS_RMA_ARENA_H_
#define MAGPIE_TESTS_RMA_ARENA_H_

#include <cstddef>

#include "common/rma/rma.h"

namespace magpie {

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
  rma::RemotePtr<const std::byte> const_on(int rank, size_t at = 0) const {
    return {rank, offset_ + at};
  }
  // The calling rank's own.
  std::byte* local(size_t at = 0) const { return local_ + at; }

 private:
  Arena(uint64_t offset, std::byte* local) : offset_(offset), local_(local) {}
  uint64_t offset_;
  std::byte* local_;
};

}  // namespace magpie

#endif  // MAGPIE_TESTS_RMA_ARENA_H_
