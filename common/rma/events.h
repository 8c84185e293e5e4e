// Events, stretches of a rank's time with a name, for the log of the simulated
// network (--log). Other networks do not ask for them.

#ifndef MAGPIE_COMMON_RMA_EVENTS_H_
#define MAGPIE_COMMON_RMA_EVENTS_H_

#include <cstdint>

#include "common/rma/backend.h"

namespace magpie::rma {

// Whether events are to be told, which holds for the whole run. May be asked
// outside a run, too.
inline bool wants_events() {
  return kBackend.sim != nullptr && kBackend.sim->wants_events();
}

// Tells that an event of the calling rank has ended; `begin` and `end` are by
// its clock, in nanoseconds. Cost: none, no virtual time either. REQUIRES:
// wants_events().
inline void tell_event(const char* name, uint64_t begin, uint64_t end) {
  kBackend.sim->tell_event(name, begin, end);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_EVENTS_H_
