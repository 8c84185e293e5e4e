// Parts that backends have in common: errors for calls outside a launch, or by
// tasks, and for launches that cannot be, each of which ends the job; what lies
// at an offset of a segment, and whether the machine has memory for all
// segments.

#ifndef MAGPIE_COMMON_RMA_BACKENDS_H_
#define MAGPIE_COMMON_RMA_BACKENDS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
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

// Result of two ranks' values in a reduction.
constexpr uint64_t combined(uint64_t a, uint64_t b, Reduction reduction) {
  if (reduction == Reduction::kSum) return a + b;
  return (a < b) == (reduction == Reduction::kMin) ? a : b;
}

// The exit status of a rank's result: 0 only where the result is 0.
constexpr int as_status(int result) {
  const int status = result & 0xff;
  return status == 0 && result != 0 ? 1 : status;
}

// ---------------------------------------------------------------- the segments

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

// Ends the job with an error message for an operation of the calling rank.
[[noreturn, gnu::cold]] void refuse_access(const char* operation, int rank,
                                           uint64_t offset, size_t bytes);

// For backends, where checks are active: ends the job so unless the operation,
// on `bytes` at an offset of a rank's segment, lies within one object of the
// heap, or within the region.
inline void check_access(const char* operation, int rank, uint64_t offset,
                         size_t bytes) {
  const Self& me = self();
  const auto is_in_an_object = [&] {
    const auto after = heap_objects.upper_bound(offset);
    if (after == heap_objects.begin()) return false;
    const uint64_t end = std::prev(after)->second;
    return offset <= end && bytes <= end - offset;
  };
  const bool is_fine =
      static_cast<unsigned>(rank) < static_cast<unsigned>(me.size) &&
      (offset < me.region_bytes ? bytes <= me.region_bytes - offset
                                : bytes == 0 || is_in_an_object());
  if (!is_fine) [[unlikely]]
    refuse_access(operation, rank, offset, bytes);
}

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_BACKENDS_H_
