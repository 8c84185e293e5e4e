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
  // Printed when a rank runs into the inaccessible page below its region: what
  // was exhausted and which flag raises the limit.
  const char* region_overflow = "raise the region's size";
};

// How many ranks the next launch() is going to have, by the flags and, of MPI,
// by the launcher: 1 or more.
int ranks_to_launch();

// While it lives, outside a run, size() is ranks_to_launch(): for what is
// computed before a launch and depends on it, as the heap's size may.
class SizeIsKnown {
 public:
  SizeIsKnown();
  ~SizeIsKnown();
  SizeIsKnown(const SizeIsKnown&) = delete;
  SizeIsKnown& operator=(const SizeIsKnown&) = delete;
};

// A run: rank_main(arg) on every rank. Returns its result on rank 0; on other
// ranks it does not return where they are processes of their own. The job's
// exit status is non-zero when any rank's result is, and when a rank dies. A
// result counts modulo 256, as exit statuses do, but none that is not 0 is 0: a
// multiple of 256 becomes 1.
// Flags that cannot be satisfied end the process with status 2 and one line.
// Outside a run there are no ranks: what needs them ends the process in words.
//
// May be called again after a run; within one it ends the job in words. Ranks
// get the caller's `arg` in the first run of a process, and in later ones where
// they share its memory or are forked from it. Elsewhere (mpi) ranks other than
// 0 then get a copy of its `arg_bytes` bytes, aligned to 16.
int launch(const SegmentLayout& layout, int (*rank_main)(void* arg), void* arg,
           size_t arg_bytes = 0);

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_LAUNCH_H_
