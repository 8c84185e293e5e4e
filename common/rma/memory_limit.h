// How much memory this machine can still give, so that a job that asks for more
// is refused in words instead of being killed in the middle.

#ifndef MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_
#define MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Bytes available to new processes: what the kernel reports, or the control
// group's limit where that is lower. UINT64_MAX when nothing is known.
uint64_t available_memory();

// The layout with a region of a multiple of 64 bytes, behind which objects of
// the heap are aligned as they were asked for.
SegmentLayout with_aligned_heap(SegmentLayout layout);

// What a segment takes; kTooManyBytes where it would be more.
uint64_t segment_bytes(const SegmentLayout& layout);

// Why segments of so many bytes do not fit for `here` of a job's `ranks`, which
// share this machine, and what to do; empty when they do.
std::string too_much_memory(int ranks, int here, uint64_t segment_bytes);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_MEMORY_LIMIT_H_
