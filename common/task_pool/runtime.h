// The seam between programs (task_pool.h) and the one pool that is linked.
//
// For authors of pools; programs include task_pool.h. A pool defines `kPool`
// and the functions of namespace `pool_seam`.

#ifndef MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
#define MAGPIE_COMMON_TASK_POOL_RUNTIME_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/run/report.h"
#include "common/task/type_info.h"

namespace magpie {

// The largest closure of a task, in bytes.
inline constexpr uint32_t kMaxTaskBytes = 192;
inline constexpr uint32_t kMaxTaskAlign = 64;

// What a pool knows of a type of tasks. It lies at the same address on all
// ranks, so that the address names the type everywhere.
struct PoolTask {
  TypeInfo type;
  // The closure's type, for messages.
  const std::type_info* name;
};

// The size in bytes of the largest closure of all tasks that the program has
// code to add. Set before main() alone, by the types of tasks (task_pool.h),
// and so the same on all ranks.
inline uint32_t largest_task = 1;

// What a pool knows of the partial results.
struct PartialType {
  uint32_t size, align;
  // Makes the neutral value at `value`.
  void (*init)(void* value);
  void (*merge)(void* into, const void* value);
  // The result's type, for messages; null where the program has no result.
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
  // Whether the root begins finishes itself (async_any.h). Else the run is one.
  bool opens_finishes = false;

  // Size that no task's closure exceeds.
  uint32_t task_bytes() const {
    return kept_to_bytes != 0 ? kept_to_bytes : largest_task;
  }
};

// What a pool does with tasks, as far as a program can tell. The class that a
// composition names in MAGPIE_TASK_POOL_SEAM states it, as kTraits; BagPool's,
// BalancedPool's and glb::Pool's are those of their parts.
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

// Whether a pool states its traits.
template <typename P>
concept StatesPoolTraits = requires {
  { P::kTraits } -> std::convertible_to<PoolTraits>;
};

// Defined by the pool. Its symbol says what to do when it is missing or there
// twice.
extern const RuntimeTraits kPool asm(
    "magpie_link_exactly_one_pool_from_the_root_BUILD");

namespace pool_seam {

// Adds a task to the calling rank's bag, or to another rank's. Called by the
// root or a task. The closure is copied.
void add(const PoolTask* type, const void* closure);
void add_at(int rank, const PoolTask* type, const void* closure);

// Merges *value into one value of the calling rank's partial result, the first
// is 0. Prints an error and ends the job where it is of another type, or there
// is no such value.
void merge(const PartialType* type, uint64_t index, const void* value);

// Returns where that value lies, for the calling task to change until it ends.
// Prints an error and ends the job likewise.
void* partial(const PartialType* type, uint64_t index);

// Merges *value, where there is one (`type` is not null), into the first value,
// and ends the run: what no rank has begun by then is dropped. Prints an error
// and ends the job where the root opens finishes.
void end(const PartialType* type, const void* value);
// Whether the run is to end, as far as the calling rank knows.
bool is_ending();

// Does what seam::run of common/fork_join/runtime.h does. On rank 0 *result is
// what all partial results merge to.
int run(const std::vector<std::string>& arguments, const PoolInfo* root,
        const void* closure, void* result, RunReport* report);

// The root's closure as the calling rank has prepared it. Prints an error and
// ends the job where it is of another type.
const void* root_closure(const std::type_info& type);

// The flags that run() understands, as text for --help.
std::string flags_help();

// What the pool does with tasks.
PoolTraits traits();

}  // namespace pool_seam

namespace internal {

// Traits of P. Where it states none, MAGPIE_TASK_POOL_SEAM has said so: one
// error is enough.
template <typename P>
constexpr PoolTraits pool_traits_of() {
  if constexpr (StatesPoolTraits<P>) return P::kTraits;
  return {};
}

}  // namespace internal
}  // namespace magpie

// Defines the functions of the seam by the static functions of the class `P`,
// which have the same names. Stands in namespace magpie, in the one source file
// that also defines kPool, whose symbol becomes the object's first.
#define MAGPIE_TASK_POOL_SEAM(P)                                           \
  static_assert(StatesPoolTraits<P>,                                       \
                "a pool says what it does with tasks: give the class "     \
                "that MAGPIE_TASK_POOL_SEAM names a `static constexpr "    \
                "PoolTraits kTraits` (common/task_pool/runtime.h)");       \
  asm(".globl magpie_link_exactly_one_pool_from_the_root_BUILD");          \
  namespace pool_seam {                                                    \
  void add(const PoolTask* type, const void* closure) {                    \
    P::add(type, closure);                                                 \
  }                                                                        \
  void add_at(int rank, const PoolTask* type, const void* closure) {       \
    P::add_at(rank, type, closure);                                        \
  }                                                                        \
  void merge(const PartialType* type, uint64_t index, const void* value) { \
    P::merge(type, index, value);                                          \
  }                                                                        \
  void* partial(const PartialType* type, uint64_t index) {                 \
    return P::partial(type, index);                                        \
  }                                                                        \
  void end(const PartialType* type, const void* value) {                   \
    P::end(type, value);                                                   \
  }                                                                        \
  MAGPIE_COMMON_SEAM(P, PoolInfo, kPool)                                   \
  PoolTraits traits() { return internal::pool_traits_of<P>(); }            \
  }  // namespace pool_seam

#endif  // MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
