// State of one process of an MPI job, and functions by which the parts of this
// backend call each other.

#ifndef MAGPIE_COMMON_RMA_MPI_JOB_H_
#define MAGPIE_COMMON_RMA_MPI_JOB_H_

#include <mpi.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/context/context.h"
#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::mpi {

enum class Progress : uint8_t { kAuto, kNone, kPoll, kThread };
enum class Memory : uint8_t { kAuto, kAlias, kCreate };

// Names, in the order of the enumerators.
inline constexpr std::array kProgressNames = {"auto", "none", "poll", "thread"};
inline constexpr std::array kMemoryNames = {"auto", "alias", "create"};

struct Options {
  // --ranks; 0: as many as the launcher started.
  int ranks = 0;
  Progress progress = Progress::kAuto;
  Memory memory = Memory::kAuto;
  bool report = false;
  internal::LivenessOptions liveness;
};

// Memory that the ranks of a node share besides their segments.
struct NodePage {
  // Whether one of them has said why the job ends.
  std::atomic<bool> spoken;
  // In the order of the ranks; there are as many as ranks.
  RankStatus statuses[1];
};

// After the heap of every segment, for the tests at start-up and for rests;
// zeroed before the program starts.
struct Scratch {
  // Number of the rank's wakes; and the number when it last returned from a
  // rest, which only the rank itself uses.
  Word wakes;
  uint64_t wakes_seen;
  // Words for the self-test's puts and gets, and for its atomics.
  Word seen;
  Word total;
};

// Process-wide: a backend is the one place where that is allowed.
struct Job {
  Options options;
  Self self;

  // ------------------------------------------------------------------ with MPI

  // True between MPI_Init and MPI_Finalize.
  bool initialized = false;
  // Whether MPI_THREAD_SERIALIZED was granted.
  bool can_serialize = false;
  // Whether a rank that waits within MPI lets others run.
  bool yields_when_idle = false;
  // The process that is the rank: children of it do not end as the rank does.
  pid_t process = 0;
  // Whether there was a first run: since then other ranks wait for orders.
  bool has_run = false;
  // Communicator of this backend's own messages.
  MPI_Comm world = MPI_COMM_NULL;
  // A receive that nobody answers: testing it drives MPI.
  MPI_Request never = MPI_REQUEST_NULL;

  // ------------------------------------------------------------------ segments

  // MPI_WIN_NULL with one rank, else locked.
  MPI_Win window = MPI_WIN_NULL;
  // Displacement of every segment in its rank's part of the window.
  MPI_Aint displacement = 0;
  bool aliased = false;
  // The file of the window's memory, where it has one.
  std::string backing;
  // Bytes of region, heap and scratch.
  size_t segment_bytes = 0;

  // --------------------------------------------------------------------- nodes

  // The node of each rank.
  std::vector<int> node_of;
  // Number of nodes; 0: not yet known.
  int nodes = 0;
  // Number of ranks on this node, and this rank's index among them.
  int node_ranks = 1;
  int node_index = 0;
  // What they share; or own memory like it, where they cannot.
  NodePage* page = nullptr;
  bool shares_page = false;

  // ------------------------------------------------------------------ progress

  // The progress that was decided on: never kAuto.
  Progress progress = Progress::kNone;
  // Whether operations may wait for a target that computes.
  bool targets_help = false;
  // Whether a progress thread runs: then MPI is called under an MpiLock.
  bool threaded = false;
};
extern Job job;

// Offset of Scratch in every segment.
inline uint64_t scratch_offset() { return job.segment_bytes - sizeof(Scratch); }
inline Scratch* own_scratch() {
  return reinterpret_cast<Scratch*>(job.self.heap_origin + scratch_offset());
}

// Held around every MPI call once a progress thread runs. MPI then needs no
// more than MPI_THREAD_SERIALIZED, which every component has.
//
// Thread safety: two threads, the rank and its progress thread. The rank goes
// first: the progress thread lets go as soon as `rank_wants` is set.
class MpiLock {
 public:
  MpiLock() {
    if (job.threaded) [[unlikely]]
      lock();
  }
  ~MpiLock() {
    if (job.threaded) [[unlikely]]
      unlock();
  }
  MpiLock(const MpiLock&) = delete;
  MpiLock& operator=(const MpiLock&) = delete;

 private:
  static void lock();
  static void unlock();
};

// The functions below are collective unless their comments say otherwise. A job
// that cannot start ends there by fatal(), with status 2.

// ------------------------------------------------------------------- launch.cc

// Whether all ranks say so. Cost: one reduction.
bool everywhere(bool here);

// ------------------------------------------------------------------ process.cc

// Calls MPI_Init_thread and sets what `job` says of MPI's answer. Meanwhile the
// environment has this backend's settings for MPI, except those that the user
// has set there to something else. Processes that the program starts later do
// not get them. Not collective.
void initialize_mpi();

// Major version of the Open MPI that runs, which need not be that of the
// headers; 0: another MPI runs. Not collective.
int open_mpi_version();

// Describes where the program, its libraries and the thread pointer of this
// process are, one a line. Called before MPI_Init, it leaves out what MPI loads
// later, to which frames of tasks cannot refer. Not collective.
std::string describe_addresses();
// Ends the job with words that say what differs, unless all ranks have rank 0's
// description. After MPI_Init.
void require_equal_addresses(std::string own);

// -------------------------------------------------------------------- nodes.cc

void find_nodes();

// ------------------------------------------------------------------- memory.cc

// Makes the segments: sets region, heap_origin, window. Ends the job, too, when
// data does not arrive, or when atomics are not atomic against each other.
void create_segments(const SegmentLayout& layout);
void free_segments();

// ----------------------------------------------------------------- progress.cc

// Bytes of the stack on which MPI runs, whoever calls it: a task's may be as
// small as the program likes, and nobody says how much MPI needs. MPICH 4.0
// over UCX handles a message 136 KiB further down, by frames larger than any
// gap between two stacks. Only touched pages take memory.
inline constexpr size_t kStackBytes = 8 << 20;
// Lowest byte of that stack; null until make_stack().
extern std::byte* stack;
// Makes the stack, before a task calls MPI. Prints an error and ends the
// process where it cannot. Not collective.
void make_stack();

// Calls f() on that stack; directly where the caller is on it already, or where
// there is none yet. Only for the rank's own thread. Not collective.
template <typename F>
void on_mpi_stack(F f) {
  const auto* const here =
      static_cast<const std::byte*>(__builtin_frame_address(0));
  const bool is_there = here >= stack && here < stack + kStackBytes;
  if (is_there || stack == nullptr) return f();
  context::call_on_stack(
      stack + kStackBytes, [](void* call) { (*static_cast<F*>(call))(); }, &f);
}

// Sets job.targets_help and job.progress.
void decide_progress();
void start_progress();
void stop_progress();
// Not collective. Waits, for a short time at most, until the progress thread is
// not inside MPI.
void calm_progress();
// Not collective. Waits for a request, yielding, while MPI makes progress.
void wait(MPI_Request* request);

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_JOB_H_
