#include "common/rma/sim/engine/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/flags/flags.h"
#include "common/rma/addresses.h"
#include "common/rma/backends.h"
#include "common/rma/machine.h"

namespace magpie::rma::sim {
namespace {

// The same address as in shm: frames look the same on all networks.
constexpr uintptr_t kRegion = internal::kRegionAddress;

// Least memory of a rank: pages of its stack and its heap, their page tables,
// and its Rank.
constexpr uint64_t kLeastBytesPerRank = 32 << 10;

// The kernel allows 65,530 mappings, and each guard page splits one.
constexpr int kMostGuards = 16384;

// Value of the lowest word of each stack where there are no guard pages. As
// much memory as the stack has lies below that word, so that writes past the
// stack's end do no harm until they are noticed.
constexpr uint64_t kCanary = 0x6d61677069652121;

using internal::page_bytes;
using internal::round_up;

std::byte* map(void* at, size_t bytes, int ranks, const char* what) {
  if (bytes == 0) return nullptr;
  const int fixed = at != nullptr ? MAP_FIXED_NOREPLACE : 0;
  void* const p =
      mmap(at, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (p == MAP_FAILED || (at != nullptr && p != at)) {
    flags::die(absl::StrCat("--ranks=", ranks, ": cannot map ", bytes >> 20,
                            " MiB for ", what, ": ", std::strerror(errno),
                            "; fewer ranks or smaller segments need less"));
  }
  // Huge pages for each page that a rank touches would use up all memory.
  madvise(p, bytes, MADV_NOHUGEPAGE);
  return static_cast<std::byte*>(p);
}

}  // namespace

Memory::Memory(int ranks, const SegmentLayout& layout, uint64_t stack_bytes,
               std::pmr::memory_resource* others)
    : ranks_(static_cast<size_t>(ranks)),
      region_bytes_(round_up(layout.region_bytes, page_bytes())),
      has_guards_(ranks <= kMostGuards),
      stack_bytes_(round_up(stack_bytes, page_bytes())),
      stack_stride_(has_guards_ ? stack_bytes_ : 2 * stack_bytes_),
      heap_bytes_(std::min(layout.heap_bytes, kTooManyBytes) +
                  internal::gap_bytes()),
      heap_stride_(round_up(heap_bytes_, page_bytes())),
      saved_(others) {
  // Asked each time, since the program may have taken memory since its last
  // run; but to ask takes longer than a small run.
  const bool is_small =
      ranks_ * (kLeastBytesPerRank + region_bytes_) < 64 << 20;
  const uint64_t available =
      is_small ? UINT64_MAX : internal::available_memory();
  saved_limit_ = available - available / 8;
  if (static_cast<uint64_t>(ranks) > available / kLeastBytesPerRank) {
    flags::die(absl::StrCat(
        "--ranks=", ranks, ": a simulated rank takes at least ",
        kLeastBytesPerRank >> 10, " KiB of memory, available are ",
        available >> 20,
        " MiB, enough for at most --ranks=", available / kLeastBytesPerRank));
  }
  size_t heaps_bytes = 0;
  if (__builtin_mul_overflow(ranks_, heap_stride_, &heaps_bytes))
    heaps_bytes = SIZE_MAX;
  region_ =
      map(reinterpret_cast<void*>(kRegion), region_bytes_, ranks, "the region");
  if (region_ == nullptr) region_ = reinterpret_cast<std::byte*>(kRegion);
  stacks_ = map(nullptr, stacks_bytes(), ranks, "the ranks' stacks");
  heaps_ = map(nullptr, heaps_bytes, ranks, "the ranks' heaps");
  for (int r = 0; r < ranks; ++r) {
    std::byte* const low = stack_low(r);
    if (has_guards_) {
      mprotect(low, page_bytes(), PROT_NONE);
    } else {
      std::memcpy(low, &kCanary, sizeof(kCanary));
    }
  }
}

Memory::~Memory() {
  if (region_bytes_ > 0) munmap(region_, region_bytes_);
  munmap(stacks_, stacks_bytes());
  if (heap_stride_ > 0) munmap(heaps_, ranks_ * heap_stride_);
}

void Memory::check_stack(Rank& rank) const {
  const auto* const sp = reinterpret_cast<const std::byte*>(rank.context);
  const int r = rank.self.rank;
  if (!in_region(sp) && (sp > stack_end(r) || sp < stack_low(r)) &&
      !rank.self.task_stacks.hold(sp))
    fatal(kStackExhausted);
  if (++rank.switches_since_look == 0) look_at_canary(rank);
}

void Memory::look_at_canary(const Rank& rank) const {
  if (!has_guards_ &&
      std::memcmp(stack_low(rank.self.rank), &kCanary, sizeof(kCanary)) != 0)
    fatal(kStackExhausted);
}

// ------------------------------------------------------------------ the region

std::byte* Memory::lowest_in_use(const Rank& rank) const {
  if (rank.doing == Doing::kRunning) return region_;
  auto* const sp = reinterpret_cast<std::byte*>(rank.context);
  return in_region(sp) ? std::min(sp, rank.region.low) : rank.region.low;
}

void Memory::make_room(RegionPart& part, size_t bytes) {
  saved_bytes_ -= part.saved_capacity;
  if (part.saved != nullptr) saved_.deallocate(part.saved, part.saved_capacity);
  part.saved_capacity = round_up(bytes + bytes / 2, 256);
  saved_bytes_ += part.saved_capacity;
  if (saved_bytes_ > saved_limit_) {
    fatal(absl::StrCat("memory is exhausted: what ranks use of their regions ",
                       "takes more than ", saved_limit_ >> 20, " MiB"));
  }
  part.saved = static_cast<std::byte*>(saved_.allocate(part.saved_capacity));
}

void Memory::copy_out(Rank& rank) {
  RegionPart& part = rank.region;
  part.saved_low = lowest_in_use(rank);
  const auto bytes = static_cast<size_t>(part.high - part.saved_low);
  if (bytes > part.saved_capacity) make_room(part, bytes);
  std::memcpy(part.saved, part.saved_low, bytes);
}

void Memory::occupy(Rank& rank) {
  if (occupant_ == &rank) return;
  if (occupant_ != nullptr) copy_out(*occupant_);
  occupant_ = &rank;
}

void Memory::swap_in(Rank& rank) {
  if (in_place(rank)) return;
  occupy(rank);
  const RegionPart& part = rank.region;
  std::memcpy(part.saved_low, part.saved,
              static_cast<size_t>(part.high - part.saved_low));
}

void Memory::use_region(Rank& rank, std::byte* low, std::byte* high) {
  occupy(rank);
  rank.region.in_use = true;
  rank.region.low = low;
  rank.region.high = high;
}

void Memory::leave_region(Rank& rank) {
  if (occupant_ == &rank) occupant_ = nullptr;
  rank.region.in_use = false;
}

// ----------------------------------------------------------------------- ahead

void Memory::touch(const Rank& rank) const {
  if (heap_bytes_ > 0) sim::touch(heap_origin(rank.self.rank) + region_bytes_);
  if (!in_place(rank) && rank.region.saved != nullptr)
    sim::touch(rank.region.saved);
  if (rank.context != nullptr && !in_region(rank.context))
    sim::touch(rank.context);
}

void Memory::fetch_lines(const Rank& rank) const {
  constexpr size_t kFrames = 256, kObject = 512;
  if (!in_region(rank.context)) sim::fetch(rank.context, kFrames);
  sim::fetch(rank.self.local, kObject);
  if (!in_place(rank)) {
    const RegionPart& part = rank.region;
    sim::fetch(part.saved, static_cast<size_t>(part.high - part.saved_low));
  }
}

// ------------------------------------------------------------------- addresses

std::byte* Memory::find(Rank& rank, uint64_t offset, size_t bytes) const {
  if (offset < region_bytes_)
    return find_in_region(rank, region_ + offset, bytes);
  if (offset == kWakesOffset) return reinterpret_cast<std::byte*>(&rank.wakes);
  return heap_origin(rank.self.rank) + offset;
}

std::byte* Memory::find_local(const Rank& rank, void* address,
                              size_t bytes) const {
  auto* const a = static_cast<std::byte*>(address);
  if (region_bytes_ == 0 || !in_region(a)) return a;
  return find_in_region(rank, a, bytes);
}

std::byte* Memory::find_in_region(const Rank& rank, std::byte* address,
                                  size_t bytes) const {
  const RegionPart& part = rank.region;
  if (!part.in_use || address < lowest_in_use(rank) ||
      address + bytes > part.high)
    return nullptr;
  if (occupant_ == &rank) return address;
  return part.saved + (address - part.saved_low);
}

std::string Memory::why_not_found(const Rank& rank) const {
  if (!rank.region.in_use) return "in the region, which is not in use";
  return absl::StrFormat("not in the part of the region in use, %#x to %#x",
                         lowest_in_use(rank) - region_,
                         rank.region.high - region_);
}

}  // namespace magpie::rma::sim
