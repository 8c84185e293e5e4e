// The seam between programs (task_pool.h, async_any.h) and the one pool that is
// linked.
//
// For authors of pools. A pool defines `kPool` and, by MAGPIE_TASK_POOL_SEAM
// (pool_rank.h), the functions of namespace `pool_seam`.

#ifndef MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
#define MAGPIE_COMMON_TASK_POOL_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/run/report.h"
#include "common/run/type_info.h"

namespace magpie {

struct PoolTask;  // a type of tasks (slot.h)

// The largest alignment of static data.
inline constexpr uint32_t kMaxStaticAlign = 64;

// The size in bytes of the largest closure of all tasks that the program has
// code to add. Set before main() alone, by the types of tasks (task_pool.h),
// and so the same on all ranks.
inline uint32_t largest_task = 1;

// Whether the program has code that reads results while tasks run. Set
// likewise, by reduce_async_any.
inline bool results_are_read = false;

// What a pool knows of the partial results.
struct PartialType {
  uint32_t size, align;
  // Makes the neutral value at `value`.
  void (*init)(void* value);
  void (*merge)(void* into, const void* value);
  // The result's type, for messages; null where the program has no result.
  const std::type_info* name;
};

// What a pool knows of a type of static data. It lies at the same address on
// all ranks, so that the address names the type everywhere.
struct StaticType {
  uint32_t size;
  // For messages.
  const std::type_info* name;
};

// What a pool knows of a program. The root itself has no result; the run's is
// what all partial ones merge to.
struct PoolInfo : RootInfo {
  // Tells common/run/run.h that a run of such a program is a pool's.
  static constexpr bool kIsPool = true;
  const PartialType* partial;
  // Size that no task's closure exceeds, as the root says; 0: it does not say.
  uint32_t kept_to_bytes;
  // Number of values of the result; null: one.
  size_t (*result_count)(const void* closure);

  // Size that no task's closure exceeds.
  uint32_t task_bytes() const {
    return kept_to_bytes != 0 ? kept_to_bytes : largest_task;
  }
};

// What a pool does with tasks, as far as a program can tell. The class that a
// composition names in MAGPIE_TASK_POOL_SEAM states it, as kTraits.
struct PoolTraits {
  // Whether it takes one rank only: --ranks=2 is refused.
  bool takes_one_rank;
  // Whether a rank without tasks looks for some all the time, so that it finds
  // what any other one offers. Else it may wait until it is sent some.
  bool searches;
  // Whether the rank that a task is added at finds it before it runs the next
  // one of its own. Else another rank may have it first.
  bool has_inboxes;
};

// Defined by the pool. Its symbol says what to do when it is missing or there
// twice.
extern const RuntimeTraits kPool asm(
    "magpie_link_exactly_one_pool_from_the_root_BUILD");

// The facade's functions (task_pool.h, async_any.h, which say what they mean)
// without its templates. They print an error and end the job where a type is
// not the run's, where there is no such rank, place or value, and where the
// caller is not one that may call them.
namespace pool_seam {

// The closure is copied.
void add(const PoolTask* type, const void* closure);
void add_at(int rank, const PoolTask* type, const void* closure);
// False: the finish was cancelled, and nothing was added.
bool add_cancelable(const PoolTask* type, const void* closure);
// Adds `count` tasks of one type, whose closures lie one after the other. False
// as above, where they are cancelable.
bool add_at_place(int place, const PoolTask* type, const void* closures,
                  size_t count, bool is_cancelable);

void merge(const PartialType* type, uint64_t index, const void* value);
void* partial(const PartialType* type, uint64_t index);
// Stores what the partial results merge to now.
void reduce(const PartialType* type, void* result);

// The type is null where there is no value.
void end(const PartialType* type, const void* value);
bool is_ending();

// The finish calls call(body).
void finish(void (*call)(void* body), void* body);
void cancel_all();
bool cancelled();

void static_init(const StaticType* type, const void* data);
const void* static_data(const StaticType* type);

int here();
int places();
int workers();

// Does what seam::run of common/fork_join/runtime.h does. On rank 0 *result is
// what all partial results merge to.
int run(const std::vector<std::string>& arguments, const PoolInfo* root,
        const void* closure, void* result, RunReport* report);

// The root's closure as the calling rank has prepared it.
const void* root_closure(const std::type_info& type);

// The flags that run() understands, as text for --help.
std::string flags_help();

// What the pool does with tasks.
PoolTraits traits();

}  // namespace pool_seam

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
