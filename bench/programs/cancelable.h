// What programs have in common that may cancel their tasks.

#ifndef MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_
#define MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_

#include <cstdint>

#include "bench/any_program.h"
#include "common/flags/flags.h"
#include "common/task_pool/async_any.h"
#include "common/task_pool/reduce_period.h"

namespace magpie::bench {

// A base of the root.
struct Cancelable {
  // Whether tasks are cancelable, and look at the result.
  bool cancelable = false;
  ReducePeriod period = {};

  // Adds a task. False: it is dropped, since all were cancelled.
  template <typename Task>
  bool add_any(const Task& task) const {
    if (cancelable) return cancelable_async_any(task);
    async_any(task);
    return true;
  }

  // Called by tasks: at the end of a period, on rank 0, it cancels all tasks
  // where is_enough(result), and counts that in Result::cancels.
  template <typename Result, typename IsEnough>
  void look_at_result(IsEnough is_enough) const {
    if (!cancelable || !period.is_over()) return;
    if (!is_enough(reduce_async_any<Result>()) || cancelled()) return;
    cancel_all_cancelable_async_any();
    Result cancel = {};
    cancel.cancels = 1;
    merge_async_any(cancel);
  }

  void add_period(CLI::App& app) {
    flags::add_integer(
        app, "--reduce_every", period.milliseconds,
        "milliseconds between two looks of rank 0's tasks at the result, in "
        "runs that may cancel; 0: each task looks",
        0, 3'600'000);
  }
};

// The same with a limit. A look costs the same without one, as when the paper's
// overhead is measured.
struct Limited : Cancelable {
  // What the result has to reach; 0: no limit.
  uint64_t limit = 0;

  // Adds the flags, of which --limit is described by `words`.
  void add_options(CLI::App& app, const char* words, uint64_t most_limit) {
    flags::add_switch(
        app, "--cancelable", cancelable,
        "make tasks cancelable, and look at the result during the run");
    flags::add_integer(app, "--limit", limit, words, 0, most_limit);
    add_period(app);
  }
  // To be called when the flags have been parsed. Returns the parameters of
  // --json, of which others come before.
  Fields read_options(Fields params) {
    cancelable |= limit > 0;
    params.emplace_back("cancelable", cancelable);
    params.emplace_back("limit", limit);
    params.emplace_back("reduce_every_ms", period.milliseconds);
    return params;
  }
};

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_
