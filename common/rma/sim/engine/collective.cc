#include "common/rma/sim/engine/collective.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "common/rma/outside.h"

namespace magpie::rma::sim {

bool Collective::enter(const Call& call, int rank, const void* data, Time clock,
                       uint64_t* round) {
  if (entered_ == 0) call_ = call;
  if (!(call == call_)) return false;
  *round = round_;
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
  return true;
}

const char* Collective::name(const Call& call) {
  constexpr const char* kNames[] = {"barrier", "broadcast", "reduction"};
  return kNames[static_cast<size_t>(call.kind)];
}

// A dissemination over all ranks takes ceil(log2(ranks)) rounds from the last
// rank's arrival.
std::optional<Time> Collective::complete() {
  if (entered_ < ranks_) return std::nullopt;
  const auto rounds =
      static_cast<Time>(std::bit_width(static_cast<unsigned>(ranks_) - 1));
  const Path& path = net_.path(net_.node_of(ranks_ - 1) == 0, false);
  const Time last = std::exchange(latest_, 0);
  entered_ = 0;
  ++round_;
  return last +
         rounds * (net_.overhead + path.latency + call_.bytes * path.per_byte);
}

void Collective::collect(uint64_t round, void* data, size_t bytes) const {
  if (bytes > 0) std::memcpy(data, results_[round % 2].data(), bytes);
}

}  // namespace magpie::rma::sim
