// States that say what ranks do: for signal handlers, watches and other
// processes of the job, and in words. For backends of real networks.
//
// Thread safety: all is atomic. A state is written by its rank's process alone,
// by its signal handler and by its watch; read by all that share the memory.
// New memory, which is zero, is a rank that has not begun.

#ifndef MAGPIE_COMMON_RMA_RANK_STATE_H_
#define MAGPIE_COMMON_RMA_RANK_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

enum class Doing : uint8_t {
  kNotBegun,
  // kRuns to kSystemCall: the rank is in its own code, a task's or the
  // program's. There it computes; calls idle() and little else; rests; sleeps
  // in the kernel until another thread wakes it; or is in another system call.
  kRuns,
  kPolls,
  kRests,
  kLock,
  kSystemCall,
  kSearches,
  kCollective,
  kEnded,
};
inline constexpr size_t kDoings = static_cast<size_t>(Doing::kEnded) + 1;

struct alignas(64) RankState {
  std::atomic<int> rank;
  // 0: the process has ended.
  std::atomic<int> process;
  std::atomic<Doing> doing;
  std::atomic<bool> in_tasks;
  // Whether the rank has a watch, which knows more exactly what `doing` is.
  std::atomic<bool> is_watched;
  // Time when it began what it is doing; 0: not known. Times are of now().
  std::atomic<uint64_t> since;

  std::atomic<bool> is_tallied;
  std::atomic<uint64_t> spawned, ended, stolen;
  // Where the rank is watched: when these counts, as far as is known, changed
  // last; when the watch looked last; and how long there was no sign of life
  // until then, in nanoseconds.
  std::atomic<uint64_t> tally_since;
  std::atomic<uint64_t> looked;
  std::atomic<uint64_t> quiet_ns;

  // How often others have asked for the state, and how often the rank answered.
  std::atomic<uint32_t> asked, answered;
};

// Begins the state of the calling process's rank, as of new memory.
void begin(RankState& state, const Self& self);

// Read what the rank does, and its tally, from its own memory. For signal
// handlers too. False: the tally was being changed, and `*tally` is unchanged.
Doing doing_of(const Self& self);
bool tally_of(Self& self, TaskTally* tally);
// Write what these told to the rank's state.
void note(RankState& state, const Self& self, Doing doing);
void note(RankState& state, const TaskTally& tally);

// Prints text to standard error, whole. For signal handlers too.
void print_text(const char* text);
// Prints "BEGIN rank R does that", a line, to standard error. For signal
// handlers too.
void print_state(const char* begin, const RankState& state);
// Prints all states; where they are many, a few ranks of each kind of state and
// how many more there are.
void print_states(std::span<const RankState> states);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_RANK_STATE_H_
