// A simulated rank: all that the parts of the engine know about it.
//
// Thread safety: one thread.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/exploration/store_buffer.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

enum class Doing : uint8_t {
  kNotStarted,
  kRunning,
  // Could go on, but the turn is another's.
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

// State of a thread's exceptions in the C++ library, hence of each rank's.
using Exceptions = std::array<void*, 2>;

// The part of the region that a rank uses: [low, high), and further down to the
// stack pointer where that lies in the region. While another rank occupies the
// region, this part is in `saved`, which belongs to Memory.
struct RegionPart {
  bool in_use = false;
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  std::byte* saved_low = nullptr;
  std::byte* saved = nullptr;
  size_t saved_capacity = 0;
};

// Lets the processor bring these bytes into a cache.
inline void fetch(const void* bytes, size_t size) {
  constexpr size_t kLine = 64;
  const auto* const first = static_cast<const std::byte*>(bytes);
  for (size_t i = 0; i < size; i += kLine) __builtin_prefetch(first + i);
}

// Brings a byte into a cache even if that takes a walk through page tables, for
// which the processor may drop a fetch(). REQUIRES: there is memory.
inline void touch(const void* byte) {
  static_cast<void>(*static_cast<const volatile std::byte*>(byte));
}

// Bytes at the beginning of a Rank that say where all else is that a turn
// touches (Turns::look_ahead).
inline constexpr size_t kFirstLines = 128;

struct alignas(64) Rank {
  // Place at which the rank goes on; null before it starts. The context's
  // address is also the lowest in use of the stack that it lies on.
  context::Context* context = nullptr;
  // The rank's time: not before what has happened to its segment.
  Time clock = 0;
  RegionPart region;
  Self self;
  Doing doing = Doing::kNotStarted;
  // Number of switches since the last look at how far its stack has been used,
  // modulo 256.
  uint8_t switches_since_look = 0;
  int result = 0;

  // Its node, and others' operations on it.
  int node = 0;
  Arrivals arrivals;

  // Address to which its last call of the shim returns, where a log is printed.
  const void* caller = nullptr;

  // Its own operations: the one that it waits for, and those since the last
  // flush.
  Op* operation = nullptr;
  Unflushed unflushed;
  // Under exploration: the time when it last worked, or began to have something
  // unflushed.
  Time quiet_since = 0;
  // The time when it last did anything but load words of its own.
  Time only_loads_since = 0;
  StoreBuffer stores;

  Attendance attendance;

  // Number of its wakes, to which others add; and their number when it last
  // returned from a rest.
  uint64_t wakes = 0;
  uint64_t wakes_seen = 0;
  // The end of its rest, which begins at `clock`; and the order of the kRest
  // that counts, or 0 where it does not rest or has been woken.
  Time rest_until = 0;
  uint64_t rest_order = 0;

  Exceptions exceptions = {};
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_RANK_H_
