// The seam between programs (fork_join.h) and the one runtime that is linked.
//
// For authors of runtimes; programs include fork_join.h. README.md shows how to
// compose one.

#ifndef MAGPIE_COMMON_FORK_JOIN_RUNTIME_H_
#define MAGPIE_COMMON_FORK_JOIN_RUNTIME_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/context/context.h"
#include "common/run/report.h"
#include "common/run/type_info.h"

namespace magpie {

// A future, as programs carry it about. Trivially copyable: it may travel in
// closures and results. The runtime gives the words their meaning; all ones in
// the second stand for no task.
struct Handle {
  uint64_t w[2];
  bool operator==(const Handle&) const = default;
};
inline constexpr Handle kNoTask = {{0, ~uint64_t{0}}};

// Treatment of tasks by a runtime, as far as a program can tell. The class that
// a composition names in MAGPIE_FORK_JOIN_SEAM states it, as kTraits; those of
// ThreadRuntime and child_steal::Runtime take it from their parts.
struct ForkJoinTraits {
  // Whether other ranks than the root's run tasks, where there are several.
  bool spreads;
  // Whether a task that has begun may go on on another rank, after each spawn
  // and join. A parent then never waits for a rank that runs its child.
  bool migrates;
  // Whether joins are buried: a task that waits goes on only when those have
  // ended that its rank has begun since. Programs whose futures travel may then
  // come to a join that nobody can end, which prints an error and ends the job.
  bool buries;
  // Whether each task has a stack of its own, instead of a place on one that
  // tasks share.
  bool has_own_stacks;
  // Whether a task that waits is resumed again and again, to look whether it
  // may go on. Then ranks work as long as one waits, and a job that hangs is
  // not recognized (--patience).
  bool waits_in_turns = false;
};

// Whether a runtime states its traits.
template <typename R>
concept StatesForkJoinTraits = requires {
  { R::kTraits } -> std::convertible_to<ForkJoinTraits>;
};

// Defined by the runtime. Its symbol says what to do when it is missing or
// there twice.
extern const RuntimeTraits kRuntime asm(
    "magpie_link_exactly_one_runtime_from_the_root_BUILD");

// Type of a task that is spawned, as a runtime knows it.
struct SpawnedType : TypeInfo {
  // For runtimes that run a task at once, as a thread below its parent, which
  // they have saved: begins the task, runs the closure in a frame of its own,
  // and ends the task. Compiled with the program, so that the compiler knows
  // the closure and the sizes. Runtimes that run tasks later call `invoke`.
  void (*run_below)(context::Context* parent, const void* closure, Handle* out);
  // Whether a spawn of the type has nothing to be asked any more
  // (thread_runtime.h). The process's own, set by a runtime. False where no run
  // is.
  bool* is_plain;
};

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

// Traits of R. Where it states none, MAGPIE_FORK_JOIN_SEAM has said so: one
// error is enough.
template <typename R>
constexpr ForkJoinTraits traits_of() {
  if constexpr (StatesForkJoinTraits<R>) return R::kTraits;
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
  static_assert(                                                           \
      StatesForkJoinTraits<R>,                                             \
      "a runtime says what it does with tasks: give the class that "       \
      "MAGPIE_FORK_JOIN_SEAM names a `static constexpr ForkJoinTraits "    \
      "kTraits` (common/fork_join/runtime.h)");                            \
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
