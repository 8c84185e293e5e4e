// Spawns and joins, charged for where ranks are simulated. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_CHARGED_H_
#define MAGPIE_COMMON_FORK_JOIN_CHARGED_H_

#include <cstdint>

#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"

namespace magpie {

// The functions of the seam as `Runtime` has them, with each join charged for.
// The serial runtime's are not: it shows what a program costs without any.
template <typename Runtime>
class ChargedJoins : public Runtime {
 public:
  static void join(const Handle* task, uint32_t consumer, void* result,
                   uint32_t bytes) {
    rma::charged<cost::kJoin, &Runtime::join>(task, consumer, result, bytes);
  }
};

// The same, with each spawn charged for, too.
template <typename Runtime>
class Charged : public ChargedJoins<Runtime> {
 public:
  static void spawn(const SpawnedType* type, const void* closure, Handle* out) {
    rma::charged<cost::kSpawn, &Runtime::spawn>(type, closure, out);
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_CHARGED_H_
