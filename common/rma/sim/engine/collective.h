// Barriers, broadcasts and reductions of simulated ranks: all ranks wait for
// the last one, which completes the result.
//
// Thread safety: one thread. Invariant: nobody enters the collective after the
// next one before everybody has left this one, so two buffers are enough, in
// turn.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_COLLECTIVE_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_COLLECTIVE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Collective {
 public:
  enum class Kind : uint8_t { kBarrier, kBroadcast, kReduce };

  // Parameters that all ranks have to agree on. `root` and `reduction` count
  // only for kinds that have them.
  struct Call {
    Kind kind = Kind::kBarrier;
    size_t bytes = 0;
    int root = 0;
    Reduction reduction = Reduction::kSum;
    bool operator==(const Call&) const = default;
  };

  Collective(int ranks, const Network& net) : ranks_(ranks), net_(net) {}

  // Adds the calling rank's part at its clock. Returns the round, for
  // collect(); nothing: the call differs from those before it.
  std::optional<uint64_t> enter(const Call& call, int rank, const void* data,
                                Time clock) {
    if (entered_ == 0) call_ = call;
    if (!(call == call_)) return std::nullopt;
    latest_ = std::max(latest_, clock);
    std::vector<std::byte>& result = results_[round_ % 2];
    const bool first = entered_++ == 0;
    if (first) result.resize(call.bytes);
    if (call.kind == Kind::kBroadcast && rank == call.root && call.bytes > 0)
      std::memcpy(result.data(), data, call.bytes);
    if (call.kind == Kind::kReduce) {
      for (size_t at = 0; at < call.bytes; at += sizeof(uint64_t)) {
        uint64_t total, mine;
        std::memcpy(&mine, static_cast<const std::byte*>(data) + at, 8);
        std::memcpy(&total, result.data() + at, 8);
        total = first ? mine : internal::combined(total, mine, call.reduction);
        std::memcpy(result.data() + at, &total, 8);
      }
    }
    return round_;
  }
  int entered() const { return entered_; }
  const Call& call() const { return call_; }
  static const char* name(const Call& call) {
    constexpr const char* kNames[] = {"barrier", "broadcast", "reduction"};
    return kNames[static_cast<size_t>(call.kind)];
  }

  // Once all have entered: begins the next round, and returns the time when all
  // leave: a dissemination over all ranks takes ceil(log2(ranks)) rounds from
  // the last rank's arrival. Else returns nothing.
  std::optional<Time> complete() {
    if (entered_ < ranks_) return std::nullopt;
    const auto rounds =
        static_cast<Time>(std::bit_width(static_cast<unsigned>(ranks_) - 1));
    const Path& path =
        net_.node_of(ranks_ - 1) == 0 ? net_.within_node : net_.between_nodes;
    const Time last = std::exchange(latest_, 0);
    entered_ = 0;
    ++round_;
    return last + rounds * (net_.overhead + path.latency +
                            call_.bytes * path.per_byte);
  }

  // Copies the result of `round` to `data`.
  void collect(uint64_t round, void* data, size_t bytes) const {
    if (bytes > 0) std::memcpy(data, results_[round % 2].data(), bytes);
  }

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
