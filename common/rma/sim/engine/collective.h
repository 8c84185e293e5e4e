// Barriers, broadcasts and reductions of simulated ranks: all ranks wait for
// the last one, which completes the result.
//
// Thread safety: one thread. Invariant: nobody enters the collective after the
// next one before everybody has left this one, so two buffers are enough, in
// turn.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_COLLECTIVE_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_COLLECTIVE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Collective {
 public:
  enum class Kind : uint8_t { kBarrier, kBroadcast, kReduce };

  // What all ranks have to agree on. `root` and `reduction` count only for
  // kinds that have them.
  struct Call {
    Kind kind = Kind::kBarrier;
    size_t bytes = 0;
    int root = 0;
    Reduction reduction = Reduction::kSum;
    bool operator==(const Call&) const = default;
  };

  Collective(int ranks, const Network& net) : ranks_(ranks), net_(net) {}

  // Adds the calling rank's part at its clock. False: its call differs from
  // those before it. *round is the argument for collect().
  bool enter(const Call& call, int rank, const void* data, Time clock,
             uint64_t* round);
  int entered() const { return entered_; }
  const Call& call() const { return call_; }
  static const char* name(const Call& call);

  // Once all have entered: begins the next round, and returns the time when all
  // leave. Else returns nothing.
  std::optional<Time> complete();

  // Copies the result of `round` to `data`.
  void collect(uint64_t round, void* data, size_t bytes) const;

 private:
  const int ranks_;
  const Network& net_;
  int entered_ = 0;
  Time latest_ = 0;
  Call call_;
  uint64_t round_ = 0;
  std::array<std::vector<std::byte>, 2> results_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_COLLECTIVE_H_
