// Pages of 2 MiB for memory that is touched all over: in pages of 4 KiB each
// turn of 100,000 ranks would begin with a walk through page tables.
//
// Thread safety: as malloc.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_HUGE_PAGES_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_HUGE_PAGES_H_

#include <sys/mman.h>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace magpie::rma::sim {

// Allocations smaller than such a page lie in ordinary pages.
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

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_HUGE_PAGES_H_
