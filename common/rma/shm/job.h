// What the processes of one shm job share, and what each of them knows of it.
//
// All runs of a program share a Control block. For each run one memfd is
// created, and ranks are forked (supervisor.h). The file holds one segment per
// rank, `stride` bytes apart. Every rank maps
//   - its own segment at kOwnSegment: the same address in every process, so
//     frames can migrate, and
//   - all segments at kPeers, in rank order: what remote operations go through,
//     those to itself too.
// A page directly below kOwnSegment stays unmapped: the guard of the region,
// which grows down.

#ifndef MAGPIE_COMMON_RMA_SHM_JOB_H_
#define MAGPIE_COMMON_RMA_SHM_JOB_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/addresses.h"
#include "common/rma/rma.h"
#include "common/rma/symmetric_heap.h"
#include "common/rma/watch.h"

namespace magpie::rma::shm {

inline constexpr uintptr_t kOwnSegment = internal::kRegionAddress;
inline constexpr uintptr_t kPeers = internal::kPeersAddress;
inline constexpr size_t kStagingBytes = 64 << 10;
inline constexpr int kMaxRanks = 4096;

// What a rank rests at, and others wake it by. A waker looks whether it rests,
// so that the wake of a busy rank is no system call: of the rank that says so
// and then looks for wakes, and the one that adds a wake and then looks whether
// it rests, at least one sees the other.
struct alignas(64) Bell {
  // What a resting rank waits for the kernel to see changed.
  std::atomic<uint32_t> wakes;
  std::atomic<bool> rests;
  // The owner's: the wakes when it last returned from a rest.
  uint32_t seen;
};

struct Control {
  // Ranks of the run that is under way, or was last; most of any run so far.
  std::atomic<int> ranks;
  std::atomic<int> most_ranks;
  alignas(64) std::atomic<uint32_t> barrier_arrived;
  alignas(64) std::atomic<uint32_t> barrier_round;
  // Set by the rank that says why the job ends; others, and the supervisor,
  // then add nothing.
  std::atomic<bool> spoken;
  // Ranks whose rank_main has returned: they may exit.
  std::array<std::atomic<bool>, kMaxRanks> returned;
  std::array<Bell, kMaxRanks> bells;
  std::array<internal::RankState, kMaxRanks> states;
  // A line on the terminal tells how far the job is.
  std::atomic<bool> line_is_shown;
  // The data of the collective that is under way.
  alignas(64) std::array<std::byte, kStagingBytes> staging;
};

// Process-wide: a backend is the one place where that is allowed.
struct Job {
  // --ranks, --shm_guard, --patience, --progress.
  int ranks = 0;
  bool guard = false;
  internal::WatchOptions watch;
  bool short_of_cores = false;
  // A segment's bytes in use; and the same rounded up to pages.
  size_t segment_bytes = 0;
  size_t stride = 0;
  internal::SymmetricHeap heap;
  // Where checks are active.
  internal::HeapObjects heap_objects;
  uint32_t idles = 0;
  Control* control = nullptr;
};
extern Job job;

// What the ranks of this run do.
inline std::span<internal::RankState> states() {
  return std::span(job.control->states).first(static_cast<size_t>(job.ranks));
}

// Where the calling process sees a byte of a rank's segment.
inline std::byte* peer_address(int rank, uint64_t offset) {
  return reinterpret_cast<std::byte*>(kPeers) +
         static_cast<size_t>(rank) * job.stride + offset;
}

// Creates the segments, and before the first run the control block. Called by
// the process that launches.
void create_shared_memory(const SegmentLayout& layout);
// Called by the supervisor, which outlives the run, once all ranks are forked:
// the segments are theirs alone.
void let_go_of_segments();
// Maps the segments. Called by each rank.
void map_segments();
// Called by each rank at the end of the run, and by rank 0, which goes on.
void unmap_segments();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_JOB_H_
