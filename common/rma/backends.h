// What backends have in common: errors for calls outside a launch, or by tasks,
// and for launches that cannot be, each of which ends the job; and the
// symmetric heap of a rank: where its next object lies, whether all ranks have
// allocated the same, what lies at an offset, and whether the machine has
// memory for all. All backends implement rma::allocate_bytes and its relatives
// by it.

#ifndef MAGPIE_COMMON_RMA_BACKENDS_H_
#define MAGPIE_COMMON_RMA_BACKENDS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// The object that backend::current names outside a launch. Its memory lies
// where nothing is mapped: code that takes it for a rank's faults there, and
// the crash handler knows the place. So the check costs nothing during a run.
extern Self nobody;

inline bool is_outside_run() { return backend::current == &nobody; }

// Refuses calls outside a run. For functions that need ranks.
void require_run(const char* function);

// Refuses calls outside a run, and by tasks. For functions that all ranks call
// together.
void require_collective(const char* function);

// Refuses a launch by a rank.
void refuse_nested_run();

// For backends that start their ranks themselves: ends the process with status
// 2 when a launcher started several processes, each of which would run the
// whole job. One of them says so.
void refuse_launcher();

// Refuses a run after the first that is to hand an argument, which lies on rank
// 0, to other ranks, where its size is not given.
void require_bytes(const void* arg, size_t arg_bytes, int ranks);

// What two ranks' values make in a reduction.
constexpr uint64_t combined(uint64_t a, uint64_t b, Reduction reduction) {
  if (reduction == Reduction::kSum) return a + b;
  return (a < b) == (reduction == Reduction::kMin) ? a : b;
}

// The exit status of a rank's result: 0 only where the result is 0.
constexpr int as_status(int result) {
  const int status = result & 0xff;
  return status == 0 && result != 0 ? 1 : status;
}

// ------------------------------------------------------- the symmetric heap

// Where checks are active, kGap bytes between two objects belong to neither, so
// that writes before or beyond an object are noticed. Gaps come on top of
// SegmentLayout::heap_bytes, until gap_bytes(), which a backend adds to a heap,
// are used up. They are small: each of a great many simulated ranks touches few
// pages of its heap.
inline constexpr size_t kGap = 16;
inline size_t gap_bytes() { return checks_are_active() ? 64 << 10 : 0; }

// Where each object of a heap ends, by where it begins: offsets in the segment.
// Ranks of one process share them, since all allocate the same.
using HeapObjects = std::map<uint64_t, uint64_t>;

// The heap of one rank. Thread safety: belongs to the rank.
class SymmetricHeap {
 public:
  // Empties the heap and gives it `bytes`, beside gap_bytes(). Where checks are
  // active, `objects` gets what is allocated; elsewhere it is null.
  void reset(size_t bytes, HeapObjects* objects) {
    *this = SymmetricHeap();
    end_ = bytes;
    objects_ = objects;
  }

  // Allocates as rma::allocate_bytes does. Returns an offset from the heap's
  // begin.
  size_t take(size_t bytes, size_t align);

  // Lets `bytes` more be allocated until end_share; the words that refuse more
  // begin with `words`, whose text must live on.
  void begin_share(size_t bytes, const char* words);
  void end_share() { share_words_ = nullptr; }

  // A number that is equal on ranks that have allocated the same in the same
  // order.
  uint64_t fingerprint() const { return fingerprint_; }
  // Bytes allocated since the last share began, or at all if none has.
  size_t taken() const { return used_ - gaps_ - taken_before_; }
  // Offset of the heap's end, behind the gaps so far.
  size_t end() const { return end_; }
  // Offset of what is allocated next, unless it is aligned otherwise.
  size_t used() const { return used_; }

 private:
  // Offsets from the heap's begin, gaps included; `gaps_` is the gaps' sum.
  size_t used_ = 0;
  size_t end_ = 0;
  size_t share_end_ = 0;
  size_t gaps_ = 0;
  // Bytes that were allocated before the last share began, without gaps.
  size_t taken_before_ = 0;
  uint64_t fingerprint_ = 0;
  // Beginning of the words for too large an allocation, where a share of the
  // heap has begun; or null.
  const char* share_words_ = nullptr;
  HeapObjects* objects_ = nullptr;
};

// The calling rank's heap; each backend defines it. REQUIRES: called by a rank.
SymmetricHeap& own_heap();

// Returns the layout with its region rounded up to a multiple of 64 bytes, so
// that the heap behind it, and its objects, are aligned as asked for.
SegmentLayout with_aligned_heap(SegmentLayout layout);

// Bytes of a segment, at most kTooManyBytes.
uint64_t segment_bytes(const SegmentLayout& layout);

// Says why the segments of `here` of a job's `ranks`, which share this machine,
// do not fit, and what to do; empty when they fit. So a job that asks for too
// much ends with an error at once, and is not killed in the middle.
std::string too_much_memory(int ranks, int here, uint64_t segment_bytes);

// Whether a real network checks its operations.
#ifdef NDEBUG
inline constexpr bool kChecksAccess = false;
#else
inline constexpr bool kChecksAccess = true;
#endif

// Ends the job with words for an operation of the calling rank.
[[noreturn, gnu::cold]] void refuse_access(const char* operation, int rank,
                                           uint64_t offset, size_t bytes,
                                           const HeapObjects& objects);

// For backends, where checks are active: ends the job so unless the operation,
// on `bytes` at an offset of a rank's segment, lies within one object of the
// heap, or within the region.
inline void check_access(const char* operation, int rank, uint64_t offset,
                         size_t bytes, const HeapObjects& objects) {
  const Self& me = self();
  const auto is_in_an_object = [&] {
    const auto after = objects.upper_bound(offset);
    if (after == objects.begin()) return false;
    const uint64_t end = std::prev(after)->second;
    return offset <= end && bytes <= end - offset;
  };
  const bool is_fine =
      static_cast<unsigned>(rank) < static_cast<unsigned>(me.size) &&
      (offset < me.region_bytes ? bytes <= me.region_bytes - offset
                                : bytes == 0 || is_in_an_object());
  if (!is_fine) [[unlikely]]
    refuse_access(operation, rank, offset, bytes, objects);
}

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_BACKENDS_H_
