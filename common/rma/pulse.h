// What a rank notes about itself for those who ask what it does, why the job
// takes so long, or whether it goes on at all: the signal handler and the watch
// of real networks (asked.h, watch.h).
//
// Thread safety: written by the rank, in cold places only; read by its signal
// handler and by its watch, a thread of the same process. So each field is
// stored and loaded whole, by the functions below; a reader may see one field
// older than another.

#ifndef MAGPIE_COMMON_RMA_PULSE_H_
#define MAGPIE_COMMON_RMA_PULSE_H_

#include <atomic>
#include <cstdint>

namespace magpie::rma {

// Counts of a rank's tasks, without the root.
struct TaskTally {
  uint64_t spawned = 0;
  uint64_t ended = 0;
  uint64_t stolen = 0;
  bool operator==(const TaskTally&) const = default;
};

struct Pulse {
  // Where the rank is: in code of its own, a task's or the program's, or in a
  // place where it waits for others.
  enum At : uint64_t { kOwnCode, kSearch, kCollective, kRest };
  uint64_t at = kOwnCode;
  // Time of now() at which the rank came to that place; 0: not known, since
  // nobody looked at the clock.
  uint64_t since = 0;
  // Numbers of calls of idle() so far, and of collectives that it has left.
  uint64_t polls = 0;
  uint64_t collectives = 0;

  // Returns what `runtime` has counted of the rank's tasks; null: none counts.
  // Read under the lock `reads_tally`.
  TaskTally (*tally)(const void* runtime) = nullptr;
  const void* runtime = nullptr;
  uint32_t reads_tally = 0;

  static void tell(uint64_t& field, uint64_t value) {
    std::atomic_ref(field).store(value, std::memory_order_relaxed);
  }
  // REQUIRES: nobody changes the field meanwhile other than by tell().
  static uint64_t told(const uint64_t& field) {
    return std::atomic_ref(const_cast<uint64_t&>(field))
        .load(std::memory_order_relaxed);
  }
  void count_polls(int times) {
    tell(polls, polls + static_cast<uint64_t>(times));
  }

  // Returns false where somebody else holds the lock.
  bool try_lock_tally() {
    return std::atomic_ref(reads_tally)
               .exchange(1, std::memory_order_acquire) == 0;
  }
  void unlock_tally() {
    std::atomic_ref(reads_tally).store(0, std::memory_order_release);
  }
};

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_PULSE_H_
