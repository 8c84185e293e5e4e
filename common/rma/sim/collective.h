// Barriers, broadcasts and reductions of simulated ranks: all wait for the
// last, which fixes the result.

#ifndef MAGPIE_COMMON_RMA_SIM_COLLECTIVE_H_
#define MAGPIE_COMMON_RMA_SIM_COLLECTIVE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/time.h"

namespace magpie::rma::sim {

// Invariant: nobody enters the collective behind the next one before everybody
// has left this one, so two buffers are enough, in turn.
class Collective {
 public:
  enum class Kind : uint8_t { kBarrier, kBroadcast, kReduce };

  // What all ranks have to agree on. `root` and `reduction` count where the
  // kind has them.
  struct Call {
    Kind kind = Kind::kBarrier;
    size_t bytes = 0;
    int root = 0;
    Reduction reduction = Reduction::kSum;
    bool operator==(const Call&) const = default;
  };

  // Adds the calling rank's part at its clock. False: it does something else
  // than those before it. *round is what collect() wants.
  bool enter(const Call& call, int rank, const void* data, Time clock,
             uint64_t* round);
  int entered() const { return entered_; }
  Time latest() const { return latest_; }
  static const char* name(const Call& call);
  const Call& call() const { return call_; }

  // For the last to enter: the next round begins.
  void next_round();

  // Copies the result of `round` to `data`.
  void collect(uint64_t round, void* data, size_t bytes) const;

 private:
  int entered_ = 0;
  Time latest_ = 0;
  Call call_;
  uint64_t round_ = 0;
  std::array<std::vector<std::byte>, 2> results_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_COLLECTIVE_H_
