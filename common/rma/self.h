// Everything that belongs to one rank. There are no globals beside it.

#ifndef MAGPIE_COMMON_RMA_SELF_H_
#define MAGPIE_COMMON_RMA_SELF_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/rma/addresses.h"
#include "common/rma/backend.h"
#include "common/rma/check.h"
#include "common/rma/counters.h"

namespace magpie {
class PoolSeam;
}

namespace magpie::rma {

enum class Activity : uint32_t {
  kNotBegun,
  // Runs code of the program's, outside and on task stacks.
  kProgram,
  kTasks,
  // Waits for others.
  kSearch,
  kCollective,
  kRest,
  kEnded,
  // Kinds of kProgram and kTasks, as they show from outside: the rank calls
  // idle() and does little else, or is in the kernel, where it sleeps until
  // another thread wakes it, or not.
  kPolls,
  kSleeps,
  kSystemCall,
};

// Status of a rank, for observers of whether the job goes on: a few words that
// on real networks lie in memory which its node's processes share.
// supervision/supervision.h reads them.
//
// Thread safety: a rank writes its own status, with relaxed stores in places
// that are not hot; all others only read it, and may see one word older than
// another. New memory, which is zero, is a rank that has not begun.
struct alignas(64) RankStatus {
  // A number in the rank's own memory that only grows. The name is a literal,
  // which has the same address in all processes of the job.
  struct Counter {
    std::atomic<const char*> name;
    std::atomic<const uint64_t*> value;
  };

  std::atomic<int> rank;
  // Numbers of the rank's process and of its thread; no process: it has ended.
  std::atomic<int> process, thread;
  std::atomic<Activity> activity;
  // Numbers of calls of idle(), and of collectives that the rank has left.
  std::atomic<uint64_t> polls, collectives;
  // Counters of the layers above, as many as there are.
  std::atomic<size_t> counter_count;
  std::array<Counter, 4> counters;
  using Values = std::array<uint64_t, 4>;

  // Shows a counter, to the end of the run. Those for which there is no room
  // are not shown.
  void show(const char* name, const uint64_t& value) {
    const size_t n = counter_count.load(std::memory_order_relaxed);
    if (n == counters.size()) return;
    counters[n].name.store(name, std::memory_order_relaxed);
    counters[n].value.store(&value, std::memory_order_relaxed);
    counter_count.store(n + 1, std::memory_order_release);
  }

  // Adds to a word that only the caller, its rank, writes.
  static void add(std::atomic<uint64_t>& word, int more) {
    word.store(
        word.load(std::memory_order_relaxed) + static_cast<uint64_t>(more),
        std::memory_order_relaxed);
  }
};

// While an ActivityScope lives, its rank is at that activity. They nest. Cost:
// a load and two stores.
class ActivityScope {
 public:
  ActivityScope(RankStatus& status, Activity activity)
      : status_(status),
        activity_(activity),
        before_(status.activity.load(std::memory_order_relaxed)) {
    status_.activity.store(activity, std::memory_order_relaxed);
  }
  ~ActivityScope() {
    if (activity_ == Activity::kCollective)
      RankStatus::add(status_.collectives, 1);
    status_.activity.store(before_, std::memory_order_relaxed);
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  RankStatus& status_;
  const Activity activity_, before_;
};

namespace internal {
// The status of ranks at which nobody looks.
extern RankStatus unwatched;

inline constexpr std::array<uint64_t, 2> kHoldsNothing = {};

// Gap between two objects of the symmetric heap where checks are active: kGap
// bytes that belong to neither, so that writes before or beyond an object are
// noticed. Gaps come on top of SegmentLayout::heap_bytes, until gap_bytes(),
// which a backend adds to a heap, are used up. They are small: each of a great
// many simulated ranks touches few pages of its heap.
inline constexpr size_t kGap = 16;
inline size_t gap_bytes() { return checks_are_active() ? 64 << 10 : 0; }

// End of each object of the heap, by its beginning, where checks are active, as
// offsets in the segment. Ranks of one process share them, since all allocate
// the same.
extern std::map<uint64_t, uint64_t> heap_objects;

// The heap of one rank. Thread safety: belongs to the rank.
class SymmetricHeap {
 public:
  SymmetricHeap() = default;
  // Of so many bytes, beside gap_bytes(), without objects.
  explicit SymmetricHeap(size_t bytes) : end_(bytes) { heap_objects.clear(); }

  // Allocates as rma::allocate_bytes does. Returns an offset from the heap's
  // begin.
  size_t take(size_t bytes, size_t align);

  // Lets `bytes` more be allocated until end_share; the words that refuse more
  // begin with `words`, whose text must live on.
  void begin_share(size_t bytes, const char* words);
  void end_share() { share_words_ = nullptr; }

  // A number that is equal on ranks that have allocated the same in the same
  // order.
  uint64_t fingerprint() const { return fingerprint_; }
  // Bytes allocated since the last share began, or at all if none has.
  size_t taken() const { return used_ - gaps_ - taken_before_; }
  // Offset of the heap's end, behind the gaps so far.
  size_t end() const { return end_; }

 private:
  // Offsets from the heap's begin, gaps included; `gaps_` is the gaps' sum.
  size_t used_ = 0;
  size_t end_ = 0;
  size_t share_end_ = 0;
  size_t gaps_ = 0;
  // Bytes that were allocated before the last share began, without gaps.
  size_t taken_before_ = 0;
  uint64_t fingerprint_ = 0;
  // Beginning of the words for too large an allocation, where a share of the
  // heap has begun; or null.
  const char* share_words_ = nullptr;
};

}  // namespace internal

// Memory of the calling rank alone in which its tasks run, besides the region
// and the stack on which rank_main was called: it stays where it is, and no
// operation touches it.
struct TaskStacks {
  const std::byte* begin = nullptr;
  size_t bytes = 0;
  // overflow(whose) says what a fault in there means: what is exhausted, and
  // which flag raises the limit. Called in a signal handler.
  const char* (*overflow)(void* whose) = nullptr;
  void* whose = nullptr;

  bool hold(const void* address) const {
    const auto* const p = static_cast<const std::byte*>(address);
    return p >= begin && p < begin + bytes;
  }
};

struct Self {
  int rank = 0;
  int size = 0;
  // The region's lowest address: the same on every rank.
  std::byte* region = nullptr;
  size_t region_bytes = 0;
  // The heap object at `offset` has the local address heap_origin + offset.
  std::byte* heap_origin = nullptr;
  // Whether a runtime must call poll() at each spawn.
  bool poll_at_spawn = false;
  // The rank's object of a fork-join runtime, and of a pool; where there is
  // none, an address at which nothing is mapped, and the words for a call that
  // meets it.
  void* local = reinterpret_cast<void*>(internal::kNobodysAddress);
  PoolSeam* pool = reinterpret_cast<PoolSeam*>(internal::kNobodysAddress);
  const char* mistaken_call =
      "called outside a run: there are no ranks, no tasks, and no memory of "
      "theirs";
  OpCounters counters;
  // Two words, not both zero while the task that runs must stay on the rank
  // (common/run/held.h); and the guards of the statics that it initializes.
  const uint64_t* held = internal::kHoldsNothing.data();
  std::vector<const void*> guards = {};
  // Set by a runtime before it runs tasks on them.
  TaskStacks task_stacks;
  // While a runtime runs what may call no collective, since it may be on any
  // rank and all ranks must call: the error's words after "f was called".
  const char* refuses_collectives = nullptr;
  // Number of ranks in this process, which share what a process has only once
  // (mappings, a range of addresses).
  int ranks_in_process = 1;
  // Recorder of how the rank spends its time (common/trace); null: none.
  void* recorder = nullptr;
  // Status of the rank, for observers.
  RankStatus* status = &internal::unwatched;
  internal::SymmetricHeap heap = {};

  // Whether an address is in the memory where tasks run.
  bool is_on_a_task_stack(const void* address) const {
    const auto* const p = static_cast<const std::byte*>(address);
    return (p >= region && p < region + region_bytes) ||
           task_stacks.hold(address);
  }
};

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_SELF_H_
