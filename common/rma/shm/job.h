// State that the processes of one shm job share, and state of each of them.
//
// All runs of a program share a Control block and one memfd. For each run ranks
// are forked (supervisor.cc), and the file is emptied and holds one segment per
// rank, `stride` bytes apart, and the run's argument. Every rank maps
//   - its own segment at kOwnSegment: the same address in every process, so
//     frames can migrate, and
//   - all segments at kPeers, in rank order: what remote operations go through,
//     those to itself too.
// A page directly below kOwnSegment stays unmapped: the guard of the region,
// which grows down.

#ifndef MAGPIE_COMMON_RMA_SHM_JOB_H_
#define MAGPIE_COMMON_RMA_SHM_JOB_H_

#include <semaphore.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/rma/addresses.h"
#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::shm {

inline constexpr uintptr_t kOwnSegment = internal::kRegionAddress;
inline constexpr uintptr_t kPeers = internal::kPeersAddress;
inline constexpr size_t kStagingBytes = 64 << 10;
inline constexpr int kMaxRanks = 4096;

// The bell at which a rank rests, and by which others wake it. A waker looks
// whether the rank rests, so that waking a busy rank is no system call: the
// owner says that it rests and then looks for wakes, and a waker adds a wake
// and then looks whether the owner rests, so at least one sees the other.
struct alignas(64) Bell {
  // Number of wakes: the futex word on which a resting rank sleeps.
  std::atomic<uint32_t> wakes;
  std::atomic<bool> rests;
  // Number of wakes when the owner last returned from a rest; only it uses
  // this.
  uint32_t seen;
};

// --ranks, --patience, --progress.
struct Options {
  int ranks = 0;
  internal::LivenessOptions liveness;
};

// Description of a run: rank 0 writes it, and the other ranks do what it says.
struct Order {
  int (*rank_main)(void* arg);
  // In the first run the same on all ranks. In later runs rank 0's own: other
  // ranks get a copy of so many bytes.
  void* arg;
  size_t arg_bytes;
  bool is_first;
  SegmentLayout layout;
  Options options;
};

struct Control {
  // The current or last run. Whether the supervisor is to start the ranks of
  // one; posted when it has, and when the run is over.
  Order order;
  std::atomic<bool> is_ordered;
  sem_t done;
  alignas(64) std::atomic<uint32_t> barrier_arrived;
  alignas(64) std::atomic<uint32_t> barrier_round;
  // Set by the rank that says why the job ends; other ranks and the supervisor
  // then say nothing.
  std::atomic<bool> spoken;
  std::array<Bell, kMaxRanks> bells;
  // Ranks that have ended have left the run: they may exit.
  std::array<RankStatus, kMaxRanks> statuses;
  // The data of the collective that is under way.
  alignas(64) std::array<std::byte, kStagingBytes> staging;
};

// Process-wide: a backend is the one place where that is allowed.
struct Job : Options {
  bool short_of_cores = false;
  // Bytes of a segment, rounded up to pages.
  size_t stride = 0;
  uint32_t idles = 0;
  Control* control = nullptr;
};
extern Job job;

// Address at which the calling process sees a byte of a rank's segment.
inline std::byte* peer_address(int rank, uint64_t offset) {
  return reinterpret_cast<std::byte*>(kPeers) +
         static_cast<size_t>(rank) * job.stride + offset;
}

// ------------------------------------------------------------------- memory.cc

// Creates the segments of a run and writes its order, both in memory that all
// processes share. Called by the process that launches.
void create_shared_memory(const Order& order);
// Takes the sizes of the segments from the layout.
void lay_out(const SegmentLayout& layout);
// Returns the argument that the rank gets in a run after the first.
void* copy_of_argument();
// Maps the segments. Called by each rank.
void map_segments();
// Called by each rank at the end of the run.
void unmap_segments();
// Gives the segments' memory back. Called by rank 0 when no rank has it mapped.
void free_segments();

// --------------------------------------------------------------- supervisor.cc

// Starts the ranks of the run that Control::order tells, and returns the rank
// that the calling process has become. The process that launches first does not
// return itself: each rank that it forks does, those of later runs too. Prints
// an error and ends the job where there are too many processes. REQUIRES: the
// control block and the segments are there.
int start_ranks();
// Waits until the supervisor has done what rank 0 waits for: has started the
// ranks of a run; or, when rank 0 has left one, has waited for the processes of
// the others.
void wait_for_supervisor();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_JOB_H_
