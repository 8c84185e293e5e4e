// The memory that a job's segments take, so that a job that asks for too much
// ends with an error at once, and is not killed in the middle.

#ifndef MAGPIE_COMMON_RMA_SUPERVISION_MEMORY_LIMIT_H_
#define MAGPIE_COMMON_RMA_SUPERVISION_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Returns the layout with its region rounded up to a multiple of 64 bytes, so
// that the heap behind it, and its objects, are aligned as asked for.
SegmentLayout with_aligned_heap(SegmentLayout layout);

// Bytes of a segment, at most kTooManyBytes.
uint64_t segment_bytes(const SegmentLayout& layout);

// Says why the segments of `here` of a job's `ranks`, which share this machine,
// do not fit, and what to do; empty when they fit.
std::string too_much_memory(int ranks, int here, uint64_t segment_bytes);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SUPERVISION_MEMORY_LIMIT_H_
