// What a rank does, as a signal handler, a watch or another process of the job
// reads it, and in words. For backends of real networks.
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
  // Its own code, a task's or what is outside of tasks: it computes; calls
  // idle() and little else; rests; sleeps in the kernel, until another thread
  // ends that, or in any other system call.
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
  // A watch looks after the rank: it knows more of what `doing` is.
  std::atomic<bool> is_watched;
  // When it came there; 0: not known. Times are those of now().
  std::atomic<uint64_t> since;

  std::atomic<bool> is_tallied;
  std::atomic<uint64_t> spawned, ended, stolen;
  // Where it is watched: when these, as far as is known, changed last; when the
  // watch looked last; and how long there was no sign of life until then, in
  // nanoseconds.
  std::atomic<uint64_t> tally_since;
  std::atomic<uint64_t> looked;
  std::atomic<uint64_t> quiet_ns;

  // By whom it is asked, and the rank itself: how often.
  std::atomic<uint32_t> asked, answered;
};

// The calling process's rank begins: a state as of new memory.
void begin(RankState& state, const Self& self);

// What the rank's own memory tells. For signal handlers too. False: its tally
// was being changed, and `tally` is as it was.
Doing doing_of(const Self& self);
bool tally_of(Self& self, TaskTally* tally);
// Writes what these told.
void note(RankState& state, const Self& self, Doing doing);
void note(RankState& state, const TaskTally& tally);

// Prints text to standard error, whole. For signal handlers too.
void print_text(const char* text);
// Prints "BEGIN rank R does that", a line, to standard error. For signal
// handlers too.
void print_state(const char* begin, const RankState& state);
// Prints all, or, where they are many, of each state some and how many there
// are more.
void print_states(std::span<const RankState> states);

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_RANK_STATE_H_
