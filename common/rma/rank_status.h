// What a rank tells of itself to those who look whether the job goes on: a few
// words that on real networks lie in memory which its node's processes share.
// supervision/supervision.h reads them.
//
// Thread safety: a rank writes its own status, with relaxed stores in places
// that are not hot; all others only read it, and may see one word older than
// another. New memory, which is zero, is a rank that has not begun.

#ifndef MAGPIE_COMMON_RMA_RANK_STATUS_H_
#define MAGPIE_COMMON_RMA_RANK_STATUS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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
  // What kProgram and kTasks are, as it shows from outside: the rank calls
  // idle() and does little else, or is in the kernel, where it sleeps until
  // another thread wakes it, or not.
  kPolls,
  kSleeps,
  kSystemCall,
};

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

namespace internal {
// The status of ranks at which nobody looks.
extern RankStatus unwatched;
}  // namespace internal

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

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_RANK_STATUS_H_
