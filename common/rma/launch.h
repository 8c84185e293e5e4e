// Starting a job's ranks: flags, a segment's layout, and the run itself.
// Included by rma.h.

#ifndef MAGPIE_COMMON_RMA_LAUNCH_H_
#define MAGPIE_COMMON_RMA_LAUNCH_H_

#include <cstddef>

namespace CLI {
class App;
}

namespace magpie::rma {

// Adds the linked backend's flags (`--ranks`, ...) to a parser. Their values
// hold for the next launch().
void add_options(CLI::App& app);

struct SegmentLayout {
  size_t region_bytes = 0;
  size_t heap_bytes = 0;
  // A literal. Printed when a rank runs into the inaccessible page below its
  // region: what was exhausted and which flag raises the limit.
  const char* region_overflow = "raise the region's size";
};

// Number of ranks that the next launch() will have, as the flags say, or with
// MPI the launcher: 1 or more.
int ranks_to_launch();

// While a SizeIsKnown lives, outside a run, size() is ranks_to_launch(): for
// what is computed before a launch and depends on size(), as the heap's bytes
// may.
class SizeIsKnown {
 public:
  SizeIsKnown();
  ~SizeIsKnown();
  SizeIsKnown(const SizeIsKnown&) = delete;
  SizeIsKnown& operator=(const SizeIsKnown&) = delete;
};

// Runs rank_main(arg) on every rank. Returns its result on rank 0; on other
// ranks it does not return where they are processes of their own. The job's
// exit status is non-zero when any rank's result is, and when a rank dies. A
// result counts modulo 256, as exit statuses do, but a multiple of 256 other
// than 0 counts as 1.
// Flags that cannot be satisfied end the process with status 2 and one line.
// Outside a run there are no ranks: a call that needs them prints an error and
// ends the process.
//
// May be called again after a run; within one it prints an error and ends the
// job. Ranks get the caller's `arg` in the first run of a process, and in later
// ones where they share its memory. Elsewhere (shm, mpi) ranks other than 0
// then get a copy of its `arg_bytes` bytes, aligned to 16, and nothing else
// that rank 0's process has written since the first run.
int launch(const SegmentLayout& layout, int (*rank_main)(void* arg), void* arg,
           size_t arg_bytes = 0);

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_LAUNCH_H_
