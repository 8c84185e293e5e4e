// An array that lies over all ranks, in blocks of one size, of which tasks copy
// ranges from and to memory of their own: common/fork_join/README.md shows how.
//
// REQUIRES: ranges are within the array, which debug builds and the simulated
// network check; and the array is allocated, which all builds check.
//
// Thread safety: any rank calls all functions at any time, but for allocate().
// A handle holds no address and is trivially copyable: it may travel in
// closures, and means the same on every rank. A task that has called put() or
// get_nb() flushes before it ends, spawns or joins; what local() returns stays
// behind when it moves. Elements that one task uses while another writes them
// may hold a mixture.

#ifndef MAGPIE_COMMON_RUN_DISTRIBUTED_ARRAY_H_
#define MAGPIE_COMMON_RUN_DISTRIBUTED_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "common/rma/rma.h"

namespace magpie {

template <typename T>
class DistributedArray {
  static_assert(std::is_trivially_copyable_v<T>,
                "elements of a DistributedArray are trivially copyable");

 public:
  // Takes a block of the symmetric heap on each rank; all elements are zero
  // bytes. To be called in the root's prepare(). Collective.
  void allocate(size_t size) {
    size_ = size;
    block_ = block_of(size);
    blocks_ = rma::allocate<T>(block_);
  }
  static size_t heap_bytes(size_t size) {
    return rma::allocated_bytes<T>(block_of(size));
  }

  size_t size() const { return size_; }

  // Place of element i, for rma::fetch_add and the like: on rank at(i).rank.
  rma::RemotePtr<T> at(size_t i) const {
    require(i, 1);
    return blocks_.at(static_cast<int>(i / block_)) + i % block_;
  }
  // Number of the first element on a rank, or size(): rank r has those from
  // first_on(r) to before first_on(r + 1), the last ranks perhaps none.
  size_t first_on(int rank) const {
    return std::min(size_, static_cast<size_t>(rank) * block_);
  }
  // The elements on the calling rank. Cost: no operation.
  std::span<T> local() const {
    require(0, 0);
    const int rank = rma::rank();
    return {blocks_.at(rank).local(), first_on(rank + 1) - first_on(rank)};
  }

  // Copies `count` elements from number `first` on. None is no operation. Cost:
  // a get for each rank on which some lie.
  void get(size_t first, size_t count, T* to) const {
    for_parts(first, count, [to](rma::RemotePtr<T> from, size_t i, size_t n) {
      rma::get(to + i, {from.rank, from.offset}, n * sizeof(T));
    });
  }
  // Starts the same: `to` holds them after a flush (rma::get_nb).
  void get_nb(size_t first, size_t count, T* to) const {
    for_parts(first, count, [to](rma::RemotePtr<T> from, size_t i, size_t n) {
      rma::get_nb(to + i, {from.rank, from.offset}, n * sizeof(T));
    });
  }
  // Overwrites `count` elements from number `first` on; others see it after a
  // flush. Cost: a put for each rank on which some lie.
  void put(size_t first, size_t count, const T* from) const {
    for_parts(first, count, [from](rma::RemotePtr<T> to, size_t i, size_t n) {
      rma::put({to.rank, to.offset}, from + i, n * sizeof(T));
    });
  }

 private:
  static size_t block_of(size_t size) {
    const auto ranks = static_cast<size_t>(rma::size());
    return size / ranks + (size % ranks != 0);
  }

  // Calls f(place, i, n) for each n elements on one rank, which are number i
  // and on in the range.
  template <typename F>
  void for_parts(size_t first, size_t count, F f) const {
    require(first, count);
    for (size_t i = 0, n; i < count; i += n) {
      n = std::min(count - i, block_ - (first + i) % block_);
      f(at(first + i), i, n);
    }
  }

  // Ends the job unless the range is within the array.
  void require(size_t first, size_t count) const {
    const bool is_within = first <= size_ && count <= size_ - first;
    if (blocks_ && (is_within || !checks_are_active())) return;
    rma::fatal("a DistributedArray of " + std::to_string(size_) +
               " elements is asked for " + std::to_string(count) +
               " from number " + std::to_string(first) + " on" +
               (blocks_ ? ""
                        : ": prepare() of the root allocates it, and tasks "
                          "find it by root_task<Root>() or "
                          "pool_root<Root>()"));
  }

  rma::RemotePtr<T> blocks_;
  size_t size_ = 0, block_ = 0;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_DISTRIBUTED_ARRAY_H_
