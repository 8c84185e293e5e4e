// The shim's collectives, in terms of the engine's.

#include "common/rma/outside.h"
#include "common/rma/rma.h"
#include "common/rma/sim/job.h"

namespace magpie::rma {

using Kind = sim::Collective::Kind;

void barrier() {
  internal::require_collective("rma::barrier");
  sim::engine->collective({.kind = Kind::kBarrier}, nullptr);
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  sim::engine->collective(
      {.kind = Kind::kBroadcast, .bytes = bytes, .root = root}, data);
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  sim::engine->collective({.kind = Kind::kReduce,
                           .bytes = count * sizeof(uint64_t),
                           .reduction = reduction},
                          values);
}

}  // namespace magpie::rma
