// One rank's bag of tasks, whatever their size: its class is a template of that
// (bag.h, serial.h).

#ifndef MAGPIE_COMMON_TASK_POOL_ANY_BAG_H_
#define MAGPIE_COMMON_TASK_POOL_ANY_BAG_H_

#include <cstdint>

#include "common/stealing/scheduler_stats.h"
#include "common/task_pool/runtime.h"

namespace magpie {

class Bag {
 public:
  virtual ~Bag() = default;

  // Add a task whose closure is no larger than the bag's slots. Called by the
  // root or a task. `bits` are the pool's (slot.h).
  virtual void add(const PoolTask& type, const void* closure,
                   uint16_t bits) = 0;
  virtual void add_at(int rank, const PoolTask& type, const void* closure,
                      uint16_t bits) = 0;
  // Runs tasks until there are none anywhere. has_root: the caller runs the
  // root, and may have tasks. Collective.
  virtual void run(bool has_root) = 0;

  // Begins a new run, in which somebody has a task already. REQUIRES: the last
  // one is over.
  virtual void begin_next() = 0;

  virtual SchedulerStats stats() const = 0;
  virtual OwnCounts own_counts() const = 0;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_ANY_BAG_H_
