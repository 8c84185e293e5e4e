// What a program's measurements tell the network: a stretch of a rank's time
// that has a name. On the simulated network the log can be that of one such
// event (--log=steal:3); on others nobody asks.

#ifndef MAGPIE_COMMON_RMA_EVENTS_H_
#define MAGPIE_COMMON_RMA_EVENTS_H_

#include <cstdint>
#include <span>

#include "common/rma/backend.h"

namespace magpie::rma {

// Says what events the program has, before flags are parsed: words with spaces
// or without, which a flag has with underscores. Literals.
inline void name_events(std::span<const char* const> names) {
  if (kBackend.sim != nullptr) kBackend.sim->name_events(names);
}

// Whether events are to be told; of the whole run. Outside a run, too.
inline bool wants_events() {
  return kBackend.sim != nullptr && kBackend.sim->wants_events();
}

// The calling rank says that an event, one of the names, has ended. By its
// clock, in nanoseconds. Cost: nothing, no virtual time either.
// REQUIRES: wants_events().
inline void tell_event(const char* name, uint64_t begin, uint64_t end) {
  kBackend.sim->tell_event(name, begin, end);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_EVENTS_H_
