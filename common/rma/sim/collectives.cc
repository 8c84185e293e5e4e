// The shim's collectives, in terms of the engine's.

#include "common/rma/rma.h"
#include "common/rma/sim/job.h"

namespace magpie::rma {

using Kind = sim::Collective::Kind;

void barrier() { sim::engine->collective({.kind = Kind::kBarrier}, nullptr); }

void broadcast(void* data, size_t bytes, int root) {
  sim::engine->collective(
      {.kind = Kind::kBroadcast, .bytes = bytes, .root = root}, data);
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  sim::engine->collective({.kind = Kind::kReduce,
                           .bytes = count * sizeof(uint64_t),
                           .reduction = reduction},
                          values);
}

}  // namespace magpie::rma
