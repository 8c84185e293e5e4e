// The seam between programs (fork_join.h) and the one runtime that is linked.
//
// For authors of runtimes; programs include fork_join.h. README.md shows how to
// compose one.

#ifndef MAGPIE_COMMON_FORK_JOIN_RUNTIME_H_
#define MAGPIE_COMMON_FORK_JOIN_RUNTIME_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/context/context.h"
#include "common/fork_join/seam_types.h"
#include "common/run/report.h"
#include "common/run/type_info.h"

namespace magpie {

// Defined by the runtime. Its symbol says what to do when it is missing or
// there twice.
extern const RuntimeTraits kRuntime asm(
    "magpie_link_exactly_one_runtime_from_the_root_BUILD");

namespace seam {

// Creates a task. *out is written before any other rank can run the caller's
// continuation. The closure is copied. The caller may go on on another rank.
void spawn(const SpawnedType* type, const void* closure, Handle* out);

// Called by SpawnedType::run_below, with its own arguments. begin_task names
// the task, in *task and in *out, and offers the parent to thieves: after that
// nothing of the parent's frame may be touched, where the closure and *out are.
// end_task returns where nobody took the parent.
void begin_task(const SpawnedType* type, context::Context* parent,
                const void* closure, Handle* out, Handle* task);
void end_task(const SpawnedType* type, const Handle* task,
              context::Context* parent, const void* result);

// Waits for the task and copies its result, of `bytes` (TypeInfo::result_size),
// to *result. The caller may go on on another rank. A task's only consumer is
// 0; where there are several they are 1 to TypeInfo::consumers. Each joins or
// discards once; twice prints an error and ends the job.
void join(const Handle* task, uint32_t consumer, void* result, uint32_t bytes);

// Says that the consumer does not want the result, of `bytes`. Does not wait.
void discard(const Handle* task, uint32_t consumer, uint32_t bytes);

// Ends the run early, with *value as its result where there is one (`type` is
// not null): the first such value counts. Prints an error and ends the job
// where it is not of the result's type.
void end_run(const std::type_info* type, const void* value);
// Whether the run is to end, as far as the calling rank knows.
bool is_ending();

// Parses the flags of the runtime and the network (all of `arguments`: unknown
// ones end the process with status 2), prepares `root` on all ranks and runs
// it, and returns the exit status on rank 0, where *result and *report are set.
// The caller has set report->runtime.
int run(const std::vector<std::string>& arguments, const RootInfo* root,
        const void* closure, void* result, RunReport* report);

// The root's closure as the calling rank has prepared it. Prints an error and
// ends the job where it is of another type. REQUIRES: called from a task.
const void* root_closure(const std::type_info& type);

// The flags that run() understands, as text for --help.
std::string flags_help();

// Treatment of tasks by the runtime.
ForkJoinTraits traits();

}  // namespace seam

namespace internal {

// Traits that R states.
template <typename R>
constexpr ForkJoinTraits traits_of() {
  constexpr bool kStates = requires {
    { R::kTraits } -> std::convertible_to<ForkJoinTraits>;
  };
  static_assert(
      kStates,
      "a runtime says what it does with tasks: give the class that "
      "MAGPIE_FORK_JOIN_SEAM names a `static constexpr ForkJoinTraits kTraits` "
      "(common/fork_join/seam_types.h)");
  if constexpr (kStates) return R::kTraits;
  return {};
}

}  // namespace internal

// Base of runtimes that run tasks by `invoke`: it has the begin_task and
// end_task that the seam asks for, and that are never called.
class RunsTasksLater {
 public:
  static void begin_task(const SpawnedType*, context::Context*, const void*,
                         Handle*, Handle*) {
    __builtin_trap();
  }
  static void end_task(const SpawnedType*, const Handle*, context::Context*,
                       const void*) {
    __builtin_trap();
  }
};

}  // namespace magpie

// Defines the runtime: kRuntime, with its name as reports print it, and the
// functions of the seam by the static functions of the class `R`, which have
// the same names. Stands in namespace magpie. The symbol of kRuntime becomes
// the object's first: of two runtimes, a linker first says to link one. Where
// program and runtime are optimized as one (--config=lto) what a fork and join
// that nobody steals takes of them is inlined; gcc warns that a function that
// is not declared inline cannot always be.
#define MAGPIE_FORK_JOIN_SEAM(R, runtime_name)                             \
  asm(".globl magpie_link_exactly_one_runtime_from_the_root_BUILD");       \
  const RuntimeTraits kRuntime = {.name = runtime_name};                   \
  namespace seam {                                                         \
  _Pragma("GCC diagnostic push")                                           \
      _Pragma("GCC diagnostic ignored \"-Wattributes\"")                   \
          [[gnu::always_inline]] void spawn(const SpawnedType* type,       \
                                            const void* closure,           \
                                            Handle* out) {                 \
    R::spawn(type, closure, out);                                          \
  }                                                                        \
  [[gnu::always_inline]] void begin_task(const SpawnedType* type,          \
                                         context::Context* parent,         \
                                         const void* closure, Handle* out, \
                                         Handle* task) {                   \
    R::begin_task(type, parent, closure, out, task);                       \
  }                                                                        \
  [[gnu::always_inline]] void end_task(const SpawnedType* type,            \
                                       const Handle* task,                 \
                                       context::Context* parent,           \
                                       const void* result) {               \
    R::end_task(type, task, parent, result);                               \
  }                                                                        \
  [[gnu::always_inline]] void join(const Handle* task, uint32_t consumer,  \
                                   void* result, uint32_t bytes) {         \
    R::join(task, consumer, result, bytes);                                \
  }                                                                        \
  _Pragma("GCC diagnostic pop") void discard(const Handle* task,           \
                                             uint32_t consumer,            \
                                             uint32_t bytes) {             \
    R::discard(task, consumer, bytes);                                     \
  }                                                                        \
  void end_run(const std::type_info* type, const void* value) {            \
    R::end_run(type, value);                                               \
  }                                                                        \
  MAGPIE_COMMON_SEAM(R, RootInfo, kRuntime)                                \
  ForkJoinTraits traits() { return internal::traits_of<R>(); }             \
  }  // namespace seam

#endif  // MAGPIE_COMMON_FORK_JOIN_RUNTIME_H_
