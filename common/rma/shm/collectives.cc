// Collectives through the control block. Their space is constant: large
// payloads go in pieces.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"

namespace magpie::rma {
namespace {

using shm::job;

void combine(std::atomic_ref<uint64_t> total, uint64_t value,
             Reduction reduction) {
  if (reduction == Reduction::kSum) {
    total.fetch_add(value);
    return;
  }
  uint64_t seen = total.load();
  while (!total.compare_exchange_weak(
      seen, internal::combined(seen, value, reduction))) {
  }
}

}  // namespace

// The last to arrive opens the next round. Arrivals are reset before the round
// opens, so a rank that rushes into the next barrier counts for that one.
void barrier() {
  internal::require_collective("rma::barrier");
  const ActivityScope scope(*self().status, Activity::kCollective);
  shm::Control& control = *job.control;
  const uint32_t round = control.barrier_round.load();
  if (control.barrier_arrived.fetch_add(1) + 1 ==
      static_cast<uint32_t>(job.ranks)) {
    control.barrier_arrived.store(0);
    control.barrier_round.store(round + 1);
  } else {
    while (control.barrier_round.load() == round) idle();
  }
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  const ActivityScope scope(*self().status, Activity::kCollective);
  auto* at = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += shm::kStagingBytes) {
    const size_t piece = std::min(bytes - done, shm::kStagingBytes);
    if (rank() == root)
      std::memcpy(job.control->staging.data(), at + done, piece);
    barrier();
    if (rank() != root)
      std::memcpy(at + done, job.control->staging.data(), piece);
    barrier();
  }
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  const ActivityScope scope(*self().status, Activity::kCollective);
  auto* totals = reinterpret_cast<uint64_t*>(job.control->staging.data());
  constexpr size_t kPiece = shm::kStagingBytes / sizeof(uint64_t);
  for (size_t done = 0; done < count; done += kPiece) {
    std::span<uint64_t> piece(values + done, std::min(count - done, kPiece));
    if (rank() == 0) std::copy(piece.begin(), piece.end(), totals);
    barrier();
    if (rank() != 0) {
      for (size_t i = 0; i < piece.size(); ++i) {
        combine(std::atomic_ref<uint64_t>(totals[i]), piece[i], reduction);
      }
    }
    barrier();
    std::copy(totals, totals + piece.size(), piece.begin());
    barrier();
  }
}

}  // namespace magpie::rma
