// The symmetric heap, and the part of the region that a rank uses.

#include "common/rma/rma.h"
#include "common/rma/sim/job.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma {
namespace sim {

void use_region(std::byte* low, std::byte* high) {
  if (low != nullptr) {
    engine->memory().use_region(engine->running(), low, high);
  } else {
    engine->memory().leave_region(engine->running());
  }
}

}  // namespace sim

RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align) {
  return internal::take_from_heap(sim::engine->memory().heap_bytes(),
                                  &sim::engine->running().heap_used, bytes,
                                  align);
}

}  // namespace magpie::rma
