// The seam between programs (task_pool.h, async_any.h) and the one pool that is
// linked.
//
// For authors of pools. A pool derives from PoolRank (pool_rank.h), which is a
// PoolSeam. MAGPIE_TASK_POOL_SEAM defines `kPool` and the functions of
// namespace `pool_seam`.

#ifndef MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
#define MAGPIE_COMMON_TASK_POOL_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/report.h"
#include "common/run/type_info.h"
#include "common/task_pool/slot.h"

namespace magpie {

// The largest alignment of static data.
inline constexpr uint32_t kMaxStaticAlign = 64;

// The size in bytes of the largest closure of all tasks that the program has
// code to add. Set before main() alone, by the types of tasks (task_pool.h),
// and so the same on all ranks.
inline uint32_t largest_task = 1;

// Whether the program has code that reads results while tasks run. Set
// likewise, by reduce_async_any.
inline bool results_are_read = false;

// Partial results, as a pool knows them.
struct PartialType {
  uint32_t size, align;
  // Makes the neutral value at `value`.
  void (*init)(void* value);
  void (*merge)(void* into, const void* value);
  // The result's type, for messages; null where the program has no result.
  const std::type_info* name;
};

// A type of static data, as a pool knows it. It lies at the same address on
// all ranks, so that the address names the type everywhere.
struct StaticType {
  uint32_t size;
  // For messages.
  const std::type_info* name;
};

// A program, as a pool knows it. The root itself has no result; the run's is
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

// Traits of a pool: what it does with tasks, as far as a program can tell. The
// class that a composition names in MAGPIE_TASK_POOL_SEAM states it, as
// kTraits.
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

namespace pool_seam {

// Does what seam::run of common/fork_join/runtime.h does. On rank 0 *result is
// what all partial results merge to.
int run(const std::vector<std::string>& arguments, const PoolInfo* root,
        const void* closure, void* result, RunReport* report);

bool is_ending();

// The root's closure as the calling rank has prepared it.
const void* root_closure(const std::type_info& type);

// The flags that run() understands, as text for --help.
std::string flags_help();

// Traits of the pool.
PoolTraits traits();

}  // namespace pool_seam

// Mark of a thread: its address tells threads apart, at the cost of an
// instruction.
inline thread_local const char thread_mark = 0;

class PoolRank;

// One rank of the pool, as the facade sees it: task_pool.h and async_any.h say
// what the functions mean. They print an error and end the job where a type is
// not the run's, where there is no such rank, place or value, and where the
// caller is not one that may call them.
//
// add, merges_plainly and prepared_root are the seam's inline part.
class PoolSeam {
 public:
  // The closure is copied.
  [[gnu::always_inline]] void add(const PoolTask& task, const void* closure) {
    if (&thread_mark != thread_ || known(task) != &task ||
        !bag_->add_at_once(task, closure)) [[unlikely]]
      add_in_full(task, closure);
  }
  void add_in_full(const PoolTask& task, const void* closure);
  void add_at(int rank, const PoolTask& task, const void* closure);
  // False: the finish was cancelled, and nothing was added.
  bool add_cancelable(const PoolTask& task, const void* closure);
  // Adds `count` tasks of one type, whose closures lie one after the other.
  // False as above, where they are cancelable.
  bool add_at_place(int place, const PoolTask& task, const void* closures,
                    size_t count, bool is_cancelable);

  // Whether a value can be merged into plain_value(): else merge() does it, as
  // where somebody may read the value meanwhile, or it is a mistake.
  [[gnu::always_inline]] bool merges_plainly(const PartialType& type,
                                             uint64_t index) const {
    return &thread_mark == thread_ && &type == plain_type_ &&
           (index == 0 || index < plain_values_);
  }
  void* plain_value(const PartialType& type, uint64_t index) const {
    return values_ + index * type.size;
  }
  void merge(const PartialType& type, uint64_t index, const void* value);
  void* partial(const PartialType& type, uint64_t index);
  // Stores what the partial results merge to now.
  void reduce(const PartialType& type, void* result);

  // The type is null where there is no value.
  void end(const PartialType* type, const void* value);

  // The root's closure as the calling rank has prepared it.
  [[gnu::always_inline]] const void* prepared_root(
      const std::type_info& type) const {
    return &type == root_type_ ? root_closure_ : pool_seam::root_closure(type);
  }

  // The finish calls call(body).
  void run_finish(void (*call)(void* body), void* body);
  void cancel_all();
  bool cancelled();
  // Called when a cancelable task's turn has come. True: it is to be dropped.
  bool drops_cancelable();
  void static_init(const StaticType& type, const void* data);
  const void* static_data(const StaticType& type);

  // The calling rank's place, how many there are, how many ranks of it run
  // tasks.
  virtual int here() const { return rma::rank(); }
  virtual int places() const { return rma::size(); }
  virtual int workers() const { return 1; }

 protected:
  virtual ~PoolSeam() = default;

  // Place where a type's address is noted once tasks of it fill slots, and need
  // not be looked at.
  const PoolTask*& known(const PoolTask& task) {
    return known_[reinterpret_cast<uintptr_t>(&task) / alignof(PoolTask) %
                  std::size(known_)];
  }

  PoolRank& rank();
  void require_thread(const char* function) const;
  // Looks at a task that is to be added, which may begin a finish.
  void look_at(const PoolTask& task, const void* closure);
  // Whether a cancelable task can be added.
  bool takes_cancelable();

  // The mark of the thread that runs the root and all tasks.
  const char* const thread_ = &thread_mark;
  std::unique_ptr<Bag> bag_;
  const PoolTask* known_[16] = {};
  const PartialType* plain_type_ = nullptr;
  uint64_t plain_values_ = 0;
  std::byte* values_ = nullptr;
  const std::type_info* root_type_ = nullptr;
  const void* root_closure_ = nullptr;
};

namespace internal {
// The calling rank of the pool.
inline PoolSeam& this_pool() { return *rma::self().pool; }
}  // namespace internal

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_RUNTIME_H_
