// Where the next object of the symmetric heap lies: what rma::allocate_bytes is
// on all backends.

#ifndef MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_
#define MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_

#include <cstddef>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Takes `bytes` of the calling rank's heap, of whose `heap_bytes` *used are
// taken already. Ends the job in words when it is full.
RemotePtr<std::byte> take_from_heap(size_t heap_bytes, size_t* used,
                                    size_t bytes, size_t align);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_
