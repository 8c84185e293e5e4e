// A simulated rank.

#ifndef MAGPIE_COMMON_RMA_SIM_RANK_H_
#define MAGPIE_COMMON_RMA_SIM_RANK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "common/rma/sim/arrivals.h"
#include "common/rma/sim/operation.h"
#include "common/rma/sim/time.h"

namespace magpie::rma::sim {

enum class Doing : uint8_t {
  kNotStarted,
  kRunning,
  kRunnable,  // others' turn came first
  kIdle,
  kOperation,  // waits for `operation`
  kFlush,      // waits for `awaited` operations to flush_target
  kCollective,
  kEnded,
};

inline constexpr int kAllTargets = -1;

// Unflushed operations are looked through for complete ones when there are as
// many, or twice as many as the last time.
inline constexpr size_t kPruneAt = 64;

struct Rank {
  Self self;
  // Where it goes on; null before it starts. Its address is also the lowest
  // in use of the stack that it lies on.
  context::Context* context = nullptr;
  Time clock = 0;  // not behind what has happened to its segment
  int result = 0;

  // What it waits for.
  Doing doing = Doing::kNotStarted;
  Op* operation = nullptr;
  int flush_target = kAllTargets;
  uint32_t awaited = 0;
  Time awaited_until = 0;

  Arrivals arrivals;

  // Its own puts and non-blocking operations since the last flush, and stores
  // that others do not see yet, oldest first.
  std::vector<Op*> unflushed;
  size_t prune_at = kPruneAt;
  std::vector<Op*> stores;

  // The part of the region in use is [low, high), and further down to the
  // stack pointer where that lies in the region. While another rank occupies
  // the region, `saved` holds it.
  bool uses_region = false;
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  std::byte* saved_low = nullptr;
  std::unique_ptr<std::byte[]> saved;
  size_t saved_capacity = 0;

  size_t heap_used = 0;
  // The C++ runtime's list of exceptions being handled: of a thread, hence of
  // a rank.
  std::array<void*, 2> exceptions = {};
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_RANK_H_
