// Names of words of the heap, for the log of the simulated network (--log) and
// what reads it; other networks do not ask for them.
//
// To be called when a part is made, on every rank, after it has allocated its
// words: names are of all ranks' segments.

#ifndef MAGPIE_COMMON_RMA_NAMES_H_
#define MAGPIE_COMMON_RMA_NAMES_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/backend.h"
#include "common/rma/rma.h"

namespace magpie::rma {

// Names `count` objects of `bytes` each, one behind the other, from an offset
// on. Where names overlap, the one of fewer bytes is the more exact one; of
// names of equal bytes the earlier one is told. `name` is a literal. Cost: no
// operation, no virtual time.
inline void name_bytes(uint64_t offset, size_t bytes, size_t count,
                       const char* name) {
  if (kBackend.sim != nullptr) [[unlikely]]
    kBackend.sim->name_words(offset, bytes, count, name);
}

template <typename T>
void name_words(RemotePtr<T> first, const char* name, size_t count = 1) {
  name_bytes(first.offset, sizeof(T), count, name);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_NAMES_H_
