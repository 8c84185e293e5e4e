// Distributed termination detection: when has every task been run?
//
// Each rank counts the tasks that it has created and those that it has ended,
// in 64 bits. Waves pass over a tree of a group of ranks (waves.h), up which
// come the sums of the counts, to which a rank adds its own when it is idle.
// The root says that all is over when the number of tasks created, by the
// second of two waves, is the number of those ended, by the first.
//
// That is right, since
//   - a task is counted as created before any rank can see it, and as ended
//     after all that it has created was counted. So at every moment at least as
//     many are created as ended, and equally many only when there is no task
//     and none running.
//   - counts never fall. Let T be a moment between the waves. What the first
//     counted as ended had ended by T; what was created by T the second counts.
//     So   ended(first) <= ended(T) <= created(T) <= created(second),   and
//     where the outermost are equal, all are: at T there was no task.
// And soon: a wave that begins when the last task has ended counts all of them,
// and so does the next one, which is the last.
//
// icpp21 §2.1 asks for such a detection and does not say which. The counts of
// two waves are Mattern's (Distributed Computing 2, 1987); marking victims of
// steals instead would not do, since a one-sided steal may come after the mark
// was read.
//
// Thread safety: an instance belongs to one rank.

#ifndef MAGPIE_COMMON_STEALING_TERMINATION_H_
#define MAGPIE_COMMON_STEALING_TERMINATION_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/end_of_run.h"
#include "common/stealing/group.h"
#include "common/stealing/waves.h"

namespace magpie {

// Tasks of one rank, or of several.
struct TaskCounts {
  uint64_t created = 0;
  uint64_t ended = 0;
};

class Termination {
 public:
  // Collective, over all ranks; the instance of a rank that is not of the group
  // is never asked.
  explicit Termination(const Group& group = Group::of_all())
      : end_(group),
        is_root_(group.rank(0) == rma::rank()),
        waves_(group, sizeof(TaskCounts), alignof(TaskCounts)) {}

  static size_t heap_bytes() {
    return EndOfRun::heap_bytes() +
           Waves::heap_bytes(sizeof(TaskCounts), alignof(TaskCounts));
  }

  // Whether there is no task any more, on any rank of the group. To be asked
  // again and again by a rank that is idle: that has no task and does not run
  // one. `mine` is what it has counted. Cost: that of Waves::poll and
  // EndOfRun::poll.
  bool poll(const TaskCounts& mine) {
    if (end_.poll()) return true;
    TaskCounts sums = mine;
    if (!waves_.poll(&sums, &add)) return false;
    if (is_root_) decide(sums);
    return end_.poll();
  }

  // Takes the calling rank to the next epoch, at whose end there is no task
  // again. REQUIRES: poll() has returned true; and the rank that has the first
  // task counts it as created before it calls this, or is the group's first and
  // does so before it polls: else the epoch may be over at once.
  void begin_next() {
    end_.begin_next();
    ended_before_ = kNone;
  }

  // The wave to which this rank adds its counts next, from 1.
  uint64_t wave() const { return waves_.wave(); }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  static void add(void* into, const void* value) {
    auto& sums = *static_cast<TaskCounts*>(into);
    const auto& more = *static_cast<const TaskCounts*>(value);
    sums.created += more.created;
    sums.ended += more.ended;
  }

  // Decides whether all is over. On the tree's root, whose sums are those of
  // all.
  void decide(const TaskCounts& sums) {
    if (sums.created == ended_before_) end_.announce();
    ended_before_ = sums.ended;
  }

  EndOfRun end_;
  const bool is_root_;
  Waves waves_;
  // Sum of ended tasks in the wave before, in this epoch; on the tree's root.
  uint64_t ended_before_ = kNone;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_TERMINATION_H_
