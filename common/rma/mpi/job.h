// What one process of an MPI job knows, and how the parts of this backend call
// each other.

#ifndef MAGPIE_COMMON_RMA_MPI_JOB_H_
#define MAGPIE_COMMON_RMA_MPI_JOB_H_

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"

namespace magpie::rma::mpi {

enum class Progress : uint8_t { kAuto, kNone, kPoll, kThread };
enum class Memory : uint8_t { kAuto, kAlias, kCreate };

inline constexpr std::array<const char*, 4> kProgressNames = {"auto", "none",
                                                              "poll", "thread"};
inline constexpr std::array<const char*, 3> kMemoryNames = {"auto", "alias",
                                                            "create"};

struct Options {
  int ranks = 0;  // --ranks; 0: as many as the launcher started
  Progress progress = Progress::kAuto;
  Memory memory = Memory::kAuto;
  bool report = false;
};

// Behind the heap of every segment, for the tests at start-up; zeroed before
// the program starts.
struct Scratch {
  Word seen;    // self-test of puts and gets
  Word total;   // self-test of atomics
  Word done;    // set by the prober: the target may stop being busy
  Word target;  // of the probed atomics
  std::array<std::byte, 64 << 10> bulk;  // of the probed large transfers
};

// The first rank of a run of ranks on one node.
struct PlaceRun {
  int first_rank;
  int place;
};

// Process-wide: a backend is the one place where that is allowed.
struct Job {
  Options options;
  Self self;

  bool initialized = false;        // between MPI_Init and MPI_Finalize
  bool can_serialize = false;      // MPI_THREAD_SERIALIZED was granted
  MPI_Comm world = MPI_COMM_NULL;  // of this backend's own messages
  MPI_Request never =
      MPI_REQUEST_NULL;  // a receive that nobody answers: testing it drives MPI

  // Segments. With one rank there is no window: `window` is MPI_WIN_NULL.
  MPI_Win window = MPI_WIN_NULL;
  MPI_Aint displacement =
      0;  // of every segment in its rank's part of the window
  bool aliased = false;
  std::string backing;  // file behind the window's memory, where it has one
  bool compare_swap_crashes = false;
  size_t segment_bytes = 0;  // region, heap, scratch
  size_t heap_bytes = 0;
  size_t heap_used = 0;

  // Nodes.
  std::vector<PlaceRun> places;  // in rank order, one per change of place
  int node_ranks = 1;            // ranks on this node
  int node_index = 0;            // which of them this one is
  int node_cores = 1;            // cores that the node's ranks may use together
  int own_cores = 1;             // cores that this rank may use
  int nodes = 1;

  Progress progress = Progress::kNone;  // as decided: never kAuto
  bool threaded = false;  // a progress thread runs: MPI is called under `lock`
};
extern Job job;

// Where Scratch lies in every segment.
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
      acquire();
  }
  ~MpiLock() {
    if (job.threaded) [[unlikely]]
      release();
  }
  MpiLock(const MpiLock&) = delete;
  MpiLock& operator=(const MpiLock&) = delete;

 private:
  static void acquire();
  static void release();
};

// launch.cc
// Collective, like everything below that is not said to be otherwise. If any
// rank brings words, the lowest such rank prints them as one line, and the job
// ends with status 2. Costs one reduction.
void refuse_if_any(const std::string& words);
// Not collective. Before the job is ended by force: waits, a second at most,
// until the launcher has what this process printed.
void wait_for_reader();
// Releases what MPI holds for this job and finalizes it.
void shut_down();

// nodes.cc
void find_nodes();

// window.cc
// Makes the segments: sets region, heap_origin, window. Refuses in words.
void create_segments(const SegmentLayout& layout);
void free_window();

// self_test.cc
// Refuses in words when data does not arrive, or atomics are not atomic against
// each other.
void self_test();

// probe.cc
struct ProbeResult {
  std::string
      waiting;  // what waits for a busy target: "swap within a node, ..."
};
ProbeResult probe_progress();

// progress.cc
void decide_progress(const ProbeResult& probe);
void start_progress();
void stop_progress();
// Not collective. Waits, but not for long, until the progress thread is not
// inside MPI.
void calm_progress();
// Not collective. Gives the core to whoever waits for one.
void yield_core();
// Not collective. Waits for a request, yielding, while MPI makes progress.
void wait(MPI_Request* request);

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_JOB_H_
