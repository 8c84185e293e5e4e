// A simulated rank: all that the parts of the engine know of it.
//
// Thread safety: one thread.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/exploration/store_buffer.h"
#include "common/rma/sim/machine/time.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma::sim {

enum class Doing : uint8_t {
  kNotStarted,
  kRunning,
  // Others' turn came first.
  kRunnable,
  kIdle,
  kRest,
  // Waits for `operation`.
  kOperation,
  // Waits for what `unflushed` awaits.
  kFlush,
  kCollective,
  kEnded,
};

// The part of the region that a rank uses: [low, high), and further down to the
// stack pointer where that lies in the region. While another rank occupies the
// region, `saved`, which is Memory's, holds it.
struct RegionPart {
  bool in_use = false;
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  std::byte* saved_low = nullptr;
  std::byte* saved = nullptr;
  size_t saved_capacity = 0;
};

// The processor may bring these bytes into a cache.
inline void fetch(const void* bytes, size_t size) {
  constexpr size_t kLine = 64;
  const auto* const first = static_cast<const std::byte*>(bytes);
  for (size_t i = 0; i < size; i += kLine) __builtin_prefetch(first + i);
}

// The same, also where that takes a walk through page tables, for which the
// processor may drop a fetch. REQUIRES: there is memory.
inline void touch(const void* byte) {
  static_cast<void>(*static_cast<const volatile std::byte*>(byte));
}

// Begins with what says where all else is that a turn touches (ahead.h).
struct alignas(64) Rank {
  // Where it goes on; null before it starts. Its address is also the lowest
  // in use of the stack that it lies on.
  context::Context* context = nullptr;
  // Not before what has happened to its segment.
  Time clock = 0;
  RegionPart region;
  Self self;
  Doing doing = Doing::kNotStarted;
  // Since it was last looked at how far its stack has been used, modulo 256.
  uint8_t switches_since_look = 0;
  int result = 0;

  // Others' operations on it.
  int node = 0;
  Arrivals arrivals;

  // Its own: the one that it waits for, those since the last flush, and stores.
  Op* operation = nullptr;
  Unflushed unflushed;
  // Under exploration: when it last worked, or began to have something
  // unflushed.
  Time quiet_since = 0;
  // When it last did anything else than load words of its own.
  Time only_loads_since = 0;
  StoreBuffer stores;

  Attendance attendance;

  // How often it was woken, which others add to; and when it last returned from
  // a rest.
  uint64_t wakes = 0;
  uint64_t wakes_seen = 0;
  // It rests, from `clock` until then; the order of the kRest that counts, 0
  // where it does not rest or has been woken.
  Time rest_until = 0;
  uint64_t rest_order = 0;

  internal::SymmetricHeap heap;
  // The C++ runtime's list of exceptions being handled: of a thread, hence of
  // a rank.
  std::array<void*, 2> exceptions = {};
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_
