// Facts that the log of the simulated network (--log) is told for its readers:
// names of words of the heap, and events, stretches of a rank's time with a
// name. Other networks do not ask for them.

#ifndef MAGPIE_COMMON_RMA_NAMES_H_
#define MAGPIE_COMMON_RMA_NAMES_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/backend.h"
#include "common/rma/rma.h"

namespace magpie::rma {

// Names `count` objects of `bytes` each, one behind the other, from an offset
// on. To be called when a part is made, on every rank, after it has allocated
// its words: names are of all ranks' segments. Where names overlap, the one of
// fewer bytes is the more exact one; of names of equal bytes the earlier one is
// told. `name` is a literal. Cost: no operation, no virtual time.
inline void name_bytes(uint64_t offset, size_t bytes, size_t count,
                       const char* name) {
  if (kBackend.sim != nullptr) [[unlikely]]
    kBackend.sim->name_words(offset, bytes, count, name);
}

template <typename T>
void name_words(RemotePtr<T> first, const char* name, size_t count = 1) {
  name_bytes(first.offset, sizeof(T), count, name);
}

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

#endif  // MAGPIE_COMMON_RMA_NAMES_H_
