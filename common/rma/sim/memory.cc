// The symmetric heap.

#include "common/rma/sim/job.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma::internal {

SymmetricHeap& own_heap() { return sim::engine->running().heap; }

}  // namespace magpie::rma::internal
