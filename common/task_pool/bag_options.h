// What all bags of pools have in common, whatever the size of their tasks: the
// flags, the functions, and the nesting of tasks where a bag is full.

#ifndef MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_
#define MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/task_pool/slot.h"
#include "common/trace/scheduler_stats.h"

namespace CLI {
class App;
}

namespace magpie {

// Those of every pool.
struct PoolOptions {
  OnAddress on_address = OnAddress::kStop;
  uint64_t static_bytes = 4 << 10;
};
void add_options(CLI::App& app, PoolOptions& options);

struct BagOptions : PoolOptions {
  uint64_t queue_bytes = 1 << 20;
  uint64_t inbox_bytes = 64 << 10;
  // The papers' thieves claim at once.
  bool empty_check = false;
  SearchOptions search;

  // Capacity such that a ring of it has no places to spare.
  template <typename Slot>
  QueueOptions queue() const {
    return {.capacity = std::bit_floor(queue_bytes / sizeof(Slot)),
            .empty_check = empty_check};
  }
  template <typename Inbox>
  size_t inbox() const {
    return std::max<size_t>(inbox_bytes / Inbox::kTaskBytes, 1);
  }
};

// How many tasks a queue takes, and the bytes of one.
struct QueueLimit {
  size_t slot_bytes;
  uint64_t most_tasks = UINT64_MAX;
};

// Adds all flags but --forced_steal, which only some pools have
// (common/stealing/search.h).
void add_options(CLI::App& app, BagOptions& options, const QueueLimit& limit);

// Prints an error and ends the job: tasks that are run at once, since the bag
// is full, nest too deep (Nesting).
[[noreturn]] void bag_too_small();

// Tasks that run on top of others, since a bag is full: as many as a bounded
// part of the stack holds.
class Nesting {
 public:
  // Bytes of the stack that such tasks may take.
  static constexpr int64_t kMostBytes = 64 << 10;

  // Calls use() on top of the task that runs. False: it does not, since too
  // many tasks run so already.
  template <typename Use>
  bool on_top(Use use) {
    const auto* const frame =
        static_cast<const std::byte*>(__builtin_frame_address(0));
    const auto* const outermost = from_;
    if (outermost == nullptr) from_ = frame;
    const bool has_room = from_ - frame <= kMostBytes;
    if (has_room) use();
    from_ = outermost;
    return has_room;
  }

 private:
  // The frame of the first of them; or null.
  const std::byte* from_ = nullptr;
};

// Which tasks a bag drops since their finish was cancelled: that is a word, the
// number of the last finish that was (constructs.h).
class Cancels {
 public:
  // Whether the finish that is open, or was open last, was cancelled.
  bool cancelled() const {
    return finish_ != 0 && cancelled_.local()->load() == finish_;
  }
  // Whether a task with these bits of its slot is to be dropped and not run.
  bool drops(uint16_t bits) const {
    return (bits & kCancelable) != 0 && cancelled();
  }

 protected:
  // Collective.
  explicit Cancels(uint64_t finish)
      : finish_(finish), cancelled_(rma::allocate<rma::Word>()) {}

  // The number of the finish that is open or was last; 0: there was none.
  uint64_t finish_;
  const rma::RemotePtr<rma::Word> cancelled_;
};

// One rank's bag of tasks, whatever their size: its class is a template of that
// (bag.h, serial.h).
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

#endif  // MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_
