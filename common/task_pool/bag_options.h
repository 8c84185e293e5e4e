// The flags of a pool.

#ifndef MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_
#define MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/run/address_scan.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/task_pool/slot.h"

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

// Limit of a queue, if it says one, for tasks of `task_bytes`.
template <template <typename Slot> typename Queue>
QueueLimit queue_limit(uint32_t task_bytes) {
  return with_slot(task_bytes, []<typename Slot>() -> QueueLimit {
    if constexpr (requires { Queue<Slot>::kMaxCapacity; })
      return {sizeof(Slot), Queue<Slot>::kMaxCapacity};
    else
      return {sizeof(Slot)};
  });
}

// Adds all flags but --forced_steal, which only some pools have
// (common/stealing/search.h).
void add_options(CLI::App& app, BagOptions& options, const QueueLimit& limit);

// Prints an error and ends the job: tasks that are run at once, since the bag
// is full, nest too deep (Nesting).
[[noreturn]] void bag_too_small();

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_BAG_OPTIONS_H_
