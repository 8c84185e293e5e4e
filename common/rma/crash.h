// Words for a rank that dies by a signal.

#ifndef MAGPIE_COMMON_RMA_CRASH_H_
#define MAGPIE_COMMON_RMA_CRASH_H_

#include <cstddef>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Installs handlers, on a stack of their own, for the signals of a crash. They
// print one line, "magpie: rank R: ...", which says what was hit where it is
// known, and let the signal kill the process. Running into the page below the
// region, or a little further below, prints layout.region_overflow.
// REQUIRES: backend::current is set, and its region is mapped with an
// inaccessible page directly below it.
void install_crash_handlers(const SegmentLayout& layout);

// A fault in [begin, begin + bytes) prints `what` instead. At most 4 ranges;
// one with the same `what` is replaced. `what` must live on.
void explain_faults(const void* begin, size_t bytes, const char* what);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_CRASH_H_
