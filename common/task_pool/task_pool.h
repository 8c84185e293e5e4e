// Bags of tasks over whichever pool is linked. README.md has a program.
//
// A task is a closure: trivially copyable, of at most 192 bytes, called once,
// on any rank. Tasks add tasks; none waits for another. A rank runs its
// youngest task first (icpp21 §2.1). Nothing is registered: all ranks run one
// executable, at the same addresses.
//
// A task holds no addresses of stacks or heaps: the root's closure and the
// first task that a rank adds of each type are looked through for such, in
// debug builds (-c dbg) all. Nor does it write globals, of which each process
// has its own: debug builds warn of that at the end of the run
// (common/run/globals.h). A thread of the program's own that adds a task ends
// the job with an error. So does an exception that leaves a task, with its
// what(), and the rank's and the task's names.
//
// Simulated time passes for what a task says that it costs: rma::compute(ns) or
// rma::charge(cost, amount) of common/rma/rma.h.

#ifndef MAGPIE_COMMON_TASK_POOL_TASK_POOL_H_
#define MAGPIE_COMMON_TASK_POOL_TASK_POOL_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "common/context/compiled.h"
#include "common/rma/copies.h"
#include "common/run/invoke.h"
#include "common/run/report.h"
#include "common/run/task_type.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"

namespace magpie {

// Partial results: T{} is the neutral one, and merging is associative and
// commutative, for it is done in any order. A number is added; for a maximum or
// the like make a struct with a member merge.
template <typename T>
concept HasMerge = requires(T into, const T& value) {
  into.merge(value);
};
template <typename T>
concept Mergeable = std::is_trivially_copyable_v<T> &&
    std::default_initializable<T> &&
    (HasMerge<T> || requires(T into, const T& value) { into += value; });

namespace internal {

// Whether T can be a pool's result. Where it cannot, the compiler has said why.
template <typename T>
consteval bool is_result() {
  static_assert(std::is_trivially_copyable_v<T>,
                "a pool's result must be trivially copyable, since every rank "
                "has a partial one: no std::vector, std::string");
  static_assert(
      !std::is_trivially_copyable_v<T> || std::default_initializable<T>,
      "a pool's result begins as T{}: it needs a default constructor");
  static_assert(!std::is_trivially_copyable_v<T> ||
                    !std::default_initializable<T> || Mergeable<T>,
                "the ranks' partial results are merged into a pool's result: "
                "it needs an operator += or a member merge(const T&)");
  return Mergeable<T>;
}

// The result's type in a program that has none.
struct NoResult {
  void merge(const NoResult&) {}
};

template <Mergeable T>
void merge_into(T* into, const T& value) {
  if constexpr (HasMerge<T>) {
    into->merge(value);
  } else {
    *into += value;
  }
}

template <Mergeable T>
inline constexpr PartialType kPartial = {
    sizeof(T), alignof(T), [](void* value) { new (value) T(); },
    [](void* into, const void* value) {
      merge_into(static_cast<T*>(into), *static_cast<const T*>(value));
    },
    std::is_same_v<T, NoResult> ? nullptr : &typeid(T)};

// Whether F can be a task of a pool; as is_task().
template <typename F>
consteval bool is_pool_task() {
  if constexpr (is_task<F>()) {
    static_assert(
        std::is_void_v<std::invoke_result_t<F>>,
        "a task of a pool returns nothing: it hands its results to merge()");
    static_assert(sizeof(F) <= kMaxTaskBytes,
                  "a task of a pool has at most 192 bytes: put larger data "
                  "into the root, or into symmetric memory");
    static_assert(alignof(F) <= kMaxTaskAlign,
                  "a task of a pool asks for an alignment of at most 64");
    return true;
  } else {
    return false;
  }
}

// Calls a copy of a closure: see PoolTask.
template <typename F>
void run_closure(const void* closure, void*) {
  alignas(F) std::byte bytes[sizeof(F)];
  copy_words(&bytes, static_cast<const std::byte(*)[sizeof(F)]>(closure));
  (*std::launder(reinterpret_cast<F*>(bytes)))();
}

// The same for a task that can be cancelled: one that was is not called.
template <typename F>
void run_cancelable(const void* closure, void* result) {
  if (!this_pool().drops_cancelable()) run_closure<F>(closure, result);
}

template <typename F, bool kCancelable = false>
struct PoolTaskType {
  static constexpr PoolTask kTask = [] {
    PoolTask task = {TaskType<F, 1>::kInfo, &typeid(F)};
    task.type.invoke = kCancelable ? run_cancelable<F> : run_closure<F>;
    return task;
  }();

  // Names kIsCounted, so that the type is counted among those of the program.
  static const PoolTask& task() {
    static_cast<void>(&kIsCounted);
    return kTask;
  }
  static inline const bool kIsCounted = [] {
    largest_task = std::max<uint32_t>(largest_task, sizeof(F));
    return true;
  }();
};

// Calls use(task), or use(a copy) where there may be padding to be cleared.
template <typename F, typename Use>
[[gnu::always_inline]] inline void with_clean_bytes(const F& task, Use use) {
  if constexpr (std::has_unique_object_representations_v<F>) {
    use(task);
  } else {
    F copy = task;
    clear_padding(&copy);
    use(copy);
  }
}

template <typename F>
constexpr uint32_t task_bytes() {
  if constexpr (requires { F::kTaskBytes; }) {
    static_assert(F::kTaskBytes >= 1 && F::kTaskBytes <= kMaxTaskBytes,
                  "kTaskBytes is from 1 to 192");
    return F::kTaskBytes;
  } else {
    return 0;
  }
}

template <typename F>
concept HasResultCount = requires(const F& f) {
  { f.result_count() } -> std::convertible_to<size_t>;
};

template <typename F>
constexpr auto result_count() {
  size_t (*count)(const void*) = nullptr;
  if constexpr (HasResultCount<F>) {
    count = [](const void* root) -> size_t {
      return static_cast<const F*>(root)->result_count();
    };
  }
  return count;
}

// Whether F can be the root of a run with the result T; as is_task().
template <typename F, typename T>
consteval bool is_pool_root() {
  if constexpr (is_root<F>()) {
    static_assert(std::is_void_v<std::invoke_result_t<F>>,
                  "the root of a pool returns nothing: the values that tasks "
                  "merge are the result");
    static_assert(HasResultCount<F> || !HasSomeResultCount<F>,
                  "result_count() of a root task is public and const, is "
                  "called without arguments, and returns a size_t");
    return is_result<T>();
  } else {
    return false;
  }
}

template <typename F, Mergeable T>
struct PoolType {
  static constexpr PoolInfo kInfo = {RootType<F, T>::kInfo, &kPartial<T>,
                                     task_bytes<F>(), result_count<F>()};
};

}  // namespace internal

// Puts a task into the calling rank's bag. Called by the root or a task; no
// task begins on a rank before the one that runs there has ended. Cost: none
// most of the time; see StealableQueue::push.
template <typename F>
void add(const F& task) {
  if constexpr (internal::is_pool_task<F>()) {
    internal::with_clean_bytes(task, [](const F& clean) {
      internal::this_pool().add(internal::PoolTaskType<F>::task(), &clean);
    });
  }
}

// Puts a task into another rank's bag, from where it may be stolen like any
// other. REQUIRES: 0 <= rank < rma::size(). Cost: fetch_add, put, fetch_add,
// and a get or more when many were added there before; waits while that rank
// has not looked at those. Where `rank` is the caller's, it does what add does.
template <typename F>
void add_at(int rank, const F& task) {
  if constexpr (internal::is_pool_task<F>()) {
    internal::with_clean_bytes(task, [rank](const F& clean) {
      internal::this_pool().add_at(rank, internal::PoolTaskType<F>::task(),
                                   &clean);
    });
  }
}

// Merges a value into the calling rank's partial result, or into one value of a
// result that has many (see run_pool). T is the type of the result that
// run_pool was given; another one, and a value that is not there, print an
// error and end the job. Cost: none.
template <typename T>
void merge_at(uint64_t index, const T& value) {
  if constexpr (internal::is_result<T>()) {
    PoolSeam& pool = internal::this_pool();
    const PartialType& type = internal::kPartial<T>;
    if (pool.merges_plainly(type, index)) [[likely]]
      return internal::merge_into(
          static_cast<T*>(pool.plain_value(type, index)), value);
    const T copy = value;  // The value itself can stay in registers.
    pool.merge(type, index, &copy);
  }
}
template <typename T>
void merge(const T& value) {
  merge_at(0, value);
}

// The calling rank's partial result, or one value of it, to change in place:
// for one that is too large to be made anew by each task that adds to it. It
// may hold what other tasks of this rank have merged. The reference is the
// calling task's until it ends. T is the type of the result that run_pool was
// given; another one, and a value that is not there, print an error and end the
// job, and so does a read of the results in the same finish, while tasks run
// (async_any.h). Cost: none.
template <typename T>
T& partial(uint64_t index = 0) {
  static_assert(internal::is_result<T>());
  return *static_cast<T*>(
      internal::this_pool().partial(internal::kPartial<T>, index));
}

// Ends the run early: "found it". Merges the value, and drops all tasks that no
// rank has begun, wherever they are, and those that are still added; what runs
// goes on to its end, and may ask pool_is_ending(). The result is what was
// merged, by those that ran. When it has returned, no rank begins a task any
// more; where several tasks call it at once, that holds when the first of these
// calls has returned, and the values of all of them are merged. Called by the
// root or a task. Cost: none where the calling rank knows of the end; else a
// fetch_add, and for the first caller a put_nb to every rank.
template <typename T>
void end_pool(const T& value) {
  if constexpr (internal::is_result<T>())
    internal::this_pool().end(&internal::kPartial<T>, &value);
}
inline void end_pool() { internal::this_pool().end(nullptr, nullptr); }

// Whether end_pool was called, as far as the calling rank knows: for tasks that
// are long. Cost: no operation.
inline bool pool_is_ending() { return pool_seam::is_ending(); }

// Runs root() on rank 0 and all tasks that come of it on all ranks, with the
// flags in `arguments` (all of them the pool's and the network's). When no task
// is left anywhere: *result, on rank 0, is T{} with all merged values merged
// into it; of a root that has begun several finishes (async_any.h) those of the
// last. Returns the exit status on rank 0; where it is 0, *result and
// *report are set. A null report means none; a null result prints an error
// and ends the process, with status 1, before anything starts.
//
// Tasks are copied in slots that hold the largest of all that the program has
// code to add, in whichever of its runs. Where one of several runs has smaller
// ones, a root that is a struct may say so: kTaskBytes is the size of its
// largest. And it may have prepare(), called on every rank before the run, and
// heap_bytes(), as in common/fork_join/fork_join.h. It is then rank 0's copy,
// made ready, that runs. Where it has
//
//   size_t result_count() const
//
// the result is an array of that many T, at least one: `result` points to the
// first of them, and each is what was merged into it. Every rank holds its
// partial ones in its segment.
template <typename F, typename T>
int run_pool(const std::vector<std::string>& arguments, F root, T* result,
             RunReport* report) {
  if constexpr (internal::is_pool_root<F, T>()) {
    if (result == nullptr) internal::no_place_for_the_result("run_pool");
    RunReport unread;
    if (report == nullptr) report = &unread;
    internal::clear_padding(&root);
    report->runtime = kPool.name;
    return pool_seam::run(arguments, &internal::PoolType<F, T>::kInfo, &root,
                          result, report);
  } else {
    return 1;
  }
}

// The same with the flags in argv[1..argc).
template <typename F, typename T>
int run_pool(int argc, char** argv, F root, T* result) {
  return run_pool(std::vector<std::string>(argv + 1, argv + argc), root, result,
                  nullptr);
}
// The same for a program without a result, or whose root reads the results of
// type T by itself (async_any.h).
template <typename T = internal::NoResult, typename F>
int run_pool(int argc, char** argv, F root) {
  T unread;
  return run_pool(argc, argv, root, &unread);
}

// The root that was handed to run_pool(), as the calling rank has it and has
// prepared it: what it holds need not travel in tasks. F is its type; another
// one prints an error and ends the job. REQUIRES: called from a task.
template <typename F>
const F& pool_root() {
  return *static_cast<const F*>(internal::this_pool().prepared_root(typeid(F)));
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_TASK_POOL_H_
