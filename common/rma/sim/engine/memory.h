// The memory of all ranks in one process: their stacks, their heaps, and the
// region, which is one range of addresses for all of them.
//
//   kRegion            region: holds the live part of one rank's, the occupant
//   stacks_            one piece of stack_bytes a rank, with a guard page at
//                      its end, or a canary and as much below it
//   heaps_             one piece a rank; only touched pages take memory
//
// A rank that needs the region becomes the occupant: the live part of the old
// occupant's region is copied out to RegionPart::saved, that of the new one's
// is copied in. Ranks that do not use the region run without that.
//
// Thread safety: one thread. Invariants:
//   1. A running rank that uses its region is the occupant.
//   2. The region of the occupant is in place, that of any other rank in
//      `saved`.
//   3. swap_in runs on a stack outside the region.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_MEMORY_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_MEMORY_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <string>

#include "common/rma/sim/engine/rank.h"

namespace magpie::rma::sim {

// Pages of 2 MiB for memory that is touched all over: in pages of 4 KiB each
// turn of 100,000 ranks would begin with a walk through page tables. Smaller
// allocations lie in ordinary pages. Thread safety: as malloc.
class HugePages : public std::pmr::memory_resource {
  static constexpr size_t kPage = 2 << 20;

  void* do_allocate(size_t bytes, size_t align) override {
    if (bytes < kPage) return ::operator new (bytes, std::align_val_t{align});
    void* const p = ::operator new (bytes, std::align_val_t{kPage});
    madvise(p, bytes / kPage * kPage, MADV_HUGEPAGE);
    return p;
  }
  void do_deallocate(void* p, size_t bytes, size_t align) override {
    ::operator delete (p, std::align_val_t{bytes < kPage ? align : kPage});
  }
  bool do_is_equal(const memory_resource& other) const noexcept override {
    return dynamic_cast<const HugePages*>(&other) != nullptr;
  }
};

inline constexpr char kStackExhausted[] =
    "its stack outside the region is exhausted; raise --rank_stack_bytes";

class Memory {
 public:
  // Maps the memory; saved parts of regions lie in `others`. Ends the process
  // with status 2, and one line, when it does not fit.
  Memory(int ranks, const SegmentLayout& layout, uint64_t stack_bytes,
         std::pmr::memory_resource* others);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* region() const { return region_; }
  size_t region_bytes() const { return region_bytes_; }
  size_t heap_bytes() const { return heap_bytes_; }
  std::byte* stack_end(int rank) const {
    return stack_low(rank) + stack_bytes_;
  }
  size_t stacks_bytes() const { return ranks_ * stack_stride_; }
  // A fault there means that a stack is exhausted.
  bool is_in_stacks(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(stacks_) < stacks_bytes();
  }
  // Heap objects lie at heap_origin + offset.
  std::byte* heap_origin(int rank) const {
    return heaps_ + static_cast<size_t>(rank) * heap_stride_ - region_bytes_;
  }

  bool in_region(const void* address) const {
    const auto* a = static_cast<const std::byte*>(address);
    return a >= region_ && a <= region_ + region_bytes_;
  }

  // Whether `rank` can run without a swap.
  bool in_place(const Rank& rank) const {
    return !rank.region.in_use || occupant_ == &rank;
  }
  // Prepare for a turn of `rank` (Turns::look_ahead): touch the pages that it
  // will touch, fetch their lines, or touch the word of its segment that an
  // operation will find.
  void touch(const Rank& rank) const;
  void fetch_lines(const Rank& rank) const;
  void touch(const Rank& rank, uint64_t offset) const {
    if (offset - region_bytes_ < heap_bytes_)
      sim::touch(heap_origin(rank.self.rank) + offset);
  }
  // Makes `rank`, which is about to run, the occupant.
  void swap_in(Rank& rank);
  // Says that the running rank uses [low, high) of its region from now on.
  void use_region(Rank& rank, std::byte* low, std::byte* high);
  void leave_region(Rank& rank);

  // Returns where bytes of a rank's segment, or its wakes, are at the moment;
  // null where they are in the region, and not in use. REQUIRES: the heap has
  // such bytes.
  std::byte* find(Rank& rank, uint64_t offset, size_t bytes) const;
  // The same for an address of the rank itself: a buffer of its own.
  std::byte* find_local(const Rank& rank, void* address, size_t bytes) const;
  // Says of bytes that were not found where they are not.
  std::string why_not_found(const Rank& rank) const;

  // Prints an error and ends the job where the rank, which is about to switch,
  // is on no stack of its own; or, checked once in 256 switches, where
  // something was written past the end of its stack outside the region. Until
  // then that harms no other rank, up to a stack's size past the end.
  void check_stack(Rank& rank) const;
  // Checks only for writes past the end: for a rank that ends.
  void look_at_canary(const Rank& rank) const;

 private:
  std::byte* stack_low(int rank) const {
    return stacks_ + static_cast<size_t>(rank + 1) * stack_stride_ -
           stack_bytes_;
  }
  std::byte* find_in_region(const Rank& rank, std::byte* address,
                            size_t bytes) const;
  std::byte* lowest_in_use(const Rank& rank) const;
  void occupy(Rank& rank);
  void copy_out(Rank& rank);
  void make_room(RegionPart& part, size_t bytes);

  const size_t ranks_;
  std::byte* region_ = nullptr;
  const size_t region_bytes_;
  std::byte* stacks_ = nullptr;
  const bool has_guards_;
  const size_t stack_bytes_;
  const size_t stack_stride_;
  std::byte* heaps_ = nullptr;
  const size_t heap_bytes_;
  const size_t heap_stride_;
  Rank* occupant_ = nullptr;
  // Memory and number of bytes of all ranks' `saved`.
  std::pmr::unsynchronized_pool_resource saved_;
  size_t saved_bytes_ = 0;
  size_t saved_limit_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_MEMORY_H_
