// The time of a program's own operations: blocking ones on what prepare() has
// allocated, and flushes that complete others there. Each is told to
// Self::tell_operation. Included by rma.h.

#ifndef MAGPIE_COMMON_RMA_OWN_OPERATION_H_
#define MAGPIE_COMMON_RMA_OWN_OPERATION_H_

#include <cstdint>

#include "common/rma/backend.h"
#include "common/rma/self.h"

namespace magpie::rma {

uint64_t now();

namespace internal {

inline uint64_t bit_of(int rank) { return uint64_t{1} << rank % 64; }

// Whether an operation at this offset is to be told. Cost: a few instructions.
inline bool is_told(uint64_t offset) {
  const Self& me = *backend::current;
  return offset - me.own_begin < me.own_bytes && me.tell_operation != nullptr;
}
// Notes an operation there that a flush is to complete.
inline void note_unflushed(int rank, uint64_t offset) {
  if (is_told(offset)) [[unlikely]]
    backend::current->unflushed |= bit_of(rank);
}
// Whether a flush of ranks of these bits is to be told.
inline bool is_told_flush(uint64_t bits) {
  Self& me = *backend::current;
  if ((me.unflushed & bits) == 0) [[likely]]
    return false;
  me.unflushed &= ~bits;
  return me.tell_operation != nullptr;
}

// Calls the operation, and tells of it.
template <auto kOperation, typename... Args>
[[gnu::noinline, gnu::cold]] auto tell(int at, Args... args) {
  const struct Telling {
    ~Telling() { backend::current->tell_operation(begin, at); }
    const int at;
    const uint64_t begin = now();
  } telling{at};
  return kOperation(args...);
}

// Calls a backend's operation, of which it tells where that is asked for.
template <auto kOperation, typename... Args>
[[gnu::always_inline]] inline auto call(int rank, uint64_t offset,
                                        Args... args) {
  if (is_told(offset)) [[unlikely]]
    return tell<kOperation>(rank, rank, offset, args...);
  return kOperation(rank, offset, args...);
}

}  // namespace internal
}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_OWN_OPERATION_H_
