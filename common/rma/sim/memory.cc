// The symmetric heap.

#include "common/rma/rma.h"
#include "common/rma/sim/job.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma {
RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align) {
  return internal::take_from_heap(sim::engine->memory().heap_bytes(),
                                  &sim::engine->running().heap_used, bytes,
                                  align);
}

}  // namespace magpie::rma
