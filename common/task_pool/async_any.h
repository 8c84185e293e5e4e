// The constructs of the APGAS library for tasks that may run anywhere: finish
// blocks in a row, tasks that can be cancelled, results that can be read while
// tasks run. They are for programs that want more than a bag and its result
// (task_pool.h, which this header includes).
//
// Source: hybrid_glb_apgas18 §3, whose names the constructs have in our
// spelling: async_any is its asyncAny, and so on.
//
// The root runs on rank 0. It opens finishes, one after the other, and calls
// what is said to be for the root; tasks, and the bodies of finishes, call the
// rest. Between two finishes nothing runs but the root. A task that it adds
// there begins one, too, which ends when the root has returned: a root that
// only adds tasks is one finish. A *place* is one or more ranks of one node
// whose tasks lie together (workers()); which ranks these are is the pool's
// affair.
//
// Requirements of tasks are as in task_pool.h. A mistake prints an error and
// ends the job, and so does an exception that leaves a task or the body of a
// finish; the paper's system collects exceptions at the finish.

#ifndef MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_H_
#define MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_H_

#include <initializer_list>
#include <memory>
#include <ranges>
#include <type_traits>
#include <vector>

#include "common/task_pool/runtime.h"
#include "common/task_pool/task_pool.h"

namespace magpie {

namespace internal {

template <typename D>
struct StaticDataType {
  static_assert(std::is_trivially_copyable_v<D>,
                "static data must be trivially copyable, since every process "
                "gets a copy");
  static_assert(alignof(D) <= kMaxStaticAlign,
                "static data ask for an alignment of at most 64");
  static constexpr StaticType kType = {sizeof(D), &typeid(D)};
};

// Tells that the program reads results of type T.
template <typename T>
inline const bool kReadsResults = results_are_read = true;

template <bool kCancelable, typename Tasks>
bool add_at_place(int place, const Tasks& tasks) {
  using F = std::ranges::range_value_t<const Tasks>;
  if constexpr (is_pool_task<F>()) {
    std::vector<F> copies;
    for (const F& task : tasks) copies.push_back(task);
    for (F& copy : copies) clear_padding(&copy);
    return this_pool().add_at_place(place, PoolTaskType<F, kCancelable>::task(),
                                    copies.data(), copies.size(), kCancelable);
  } else {
    return false;
  }
}

}  // namespace internal

// --------------------------------------------------------------- for the root

// Gives every rank a copy of `data`, from the start of the next finish on;
// later calls replace it, with data of the same type or another. REQUIRES:
// called by the root outside of a finish; at most --static_bytes. Cost: none;
// the next finish puts it to every rank. (staticInit)
template <typename D>
void static_init(const D& data) {
  D copy = data;
  internal::clear_padding(&copy);
  internal::this_pool().static_init(internal::StaticDataType<D>::kType, &copy);
}

// Calls body(), which may capture by reference, since it does not travel, and
// returns when all tasks that came of it, at once or by and by, have been
// processed, wherever that was. Partial results are T{} at its start, but for
// what the root has merged before the first finish, and are kept until the next
// one starts: what the root merges between two belongs to the one before.
// REQUIRES: called by the root outside of a finish. Cost: a message to and from
// every rank at its start, but not for the first, and what the pool pays to
// know the end; none for each task. (finishAsyncAny)
template <typename F>
void finish_async_any(F&& body) {
  using Body = std::remove_reference_t<F>;
  internal::this_pool().run_finish(
      [](void* b) { (*static_cast<Body*>(b))(); },
      const_cast<std::remove_const_t<Body>*>(std::addressof(body)));
}

// ---------------------------------------------------- for bodies and for tasks

// Adds a task to the calling rank's bag, from where it may go anywhere. What
// add of task_pool.h does, by the paper's name. Cost: that of add. (asyncAny)
template <typename F>
void async_any(const F& task) {
  add(task);
}

// Adds a task that cancel_all_cancelable_async_any drops as long as it has not
// started. False: it has been called in this finish, and nothing was added.
// Cost: that of add. (cancelableAsyncAny)
template <typename F>
bool cancelable_async_any(const F& task) {
  bool added = false;
  if constexpr (internal::is_pool_task<F>()) {
    internal::with_clean_bytes(task, [&](const F& clean) {
      added = internal::this_pool().add_cancelable(
          internal::PoolTaskType<F, true>::task(), &clean);
    });
  }
  return added;
}

// Adds tasks of one type at a place, from where they may go anywhere. `tasks`
// is a range of closures: a vector, an array, a list in braces. REQUIRES:
// 0 <= place < places(). Cost: that of add_at for each. (staticAsyncAny)
template <std::ranges::input_range Tasks>
void static_async_any(int place, const Tasks& tasks) {
  internal::add_at_place<false>(place, tasks);
}
template <typename F>
void static_async_any(int place, std::initializer_list<F> tasks) {
  internal::add_at_place<false>(place, tasks);
}

// Adds tasks that can be cancelled: all of them or, where it returns false,
// none. (cancelableStaticAsyncAny)
template <std::ranges::input_range Tasks>
bool cancelable_static_async_any(int place, const Tasks& tasks) {
  return internal::add_at_place<true>(place, tasks);
}
template <typename F>
bool cancelable_static_async_any(int place, std::initializer_list<F> tasks) {
  return internal::add_at_place<true>(place, tasks);
}

// Drops all cancelable tasks that have not started, wherever they are, and
// refuses new ones until the finish ends. Tasks that run go on, and may ask
// cancelled(). After it has returned no cancelable task starts on any rank;
// until then one may start elsewhere. Several ranks may call it at once. Cost:
// a put to every rank and a flush. (cancelAllCancelableAsyncAny)
inline void cancel_all_cancelable_async_any() {
  internal::this_pool().cancel_all();
}

// Merges a value into the calling rank's partial result: merge of task_pool.h
// by the paper's name. Cost: none. (mergeAsyncAny)
template <typename T>
void merge_async_any(const T& value) {
  merge(value);
}

// A const reference to the calling rank's copy of the data that static_init was
// given before the finish. D is their type; another one prints an error and
// ends the job. Cost: none.
template <typename D>
const D& static_data() {
  return *static_cast<const D*>(
      internal::this_pool().static_data(internal::StaticDataType<D>::kType));
}

// ------------------------------------------------------------ for all of them

// Returns what all partial results merge to; of many values, the first. Called
// by the root after a finish: the result. Called within one: what has been
// merged by now; at least what those tasks merged that the caller has seen to
// end before, at most what all did that have run or are running. Cost: a get
// from every rank, within a finish three or more: to be called now and then.
// (reduceAsyncAny)
template <typename T>
T reduce_async_any() {
  T result;
  if constexpr (internal::is_result<T>()) {
    static_cast<void>(&internal::kReadsResults<T>);
    internal::this_pool().reduce(internal::kPartial<T>, &result);
  }
  return result;
}

// Whether cancel_all_cancelable_async_any has been called in this finish, as
// far as the calling rank knows; called by the root after a finish: in that
// one. Cost: none.
inline bool cancelled() { return internal::this_pool().cancelled(); }

// The calling rank's place, 0 to places() - 1 (the paper's here()); how many
// there are; and how many ranks of the calling place run tasks. Cost: none.
inline int here() { return internal::this_pool().here(); }
inline int places() { return internal::this_pool().places(); }
inline int workers() { return internal::this_pool().workers(); }

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_H_
