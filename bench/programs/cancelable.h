// Parts of programs that may cancel their tasks.

#ifndef MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_
#define MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_

#include <cstdint>

#include "bench/any_program.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {

// A base of the root.
struct Cancelable {
  // Whether tasks are cancelable, and look at the result.
  bool cancelable = false;
  // Period between two looks of rank 0's tasks (hybrid_glb_apgas18 §3: "every
  // second or by a single worker only"); 0: each task looks.
  int64_t period_ms = 1000;
  // Time when the period is over; 0: none has begun. Each rank has a copy.
  mutable uint64_t period_ends = 0;

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
    if (!cancelable || !is_period_over()) return;
    if (!is_enough(reduce_async_any<Result>()) || cancelled()) return;
    cancel_all_cancelable_async_any();
    Result cancel = {};
    cancel.cancels = 1;
    merge_async_any(cancel);
  }

  // Whether the period has passed since this was first called, or last returned
  // true. Always false on ranks other than 0.
  bool is_period_over() const {
    if (rma::rank() != 0) return false;
    const uint64_t now = rma::now();
    if (now < period_ends) return false;
    const bool has_begun = period_ends > 0;
    period_ends = now + static_cast<uint64_t>(period_ms) * 1'000'000;
    return has_begun || period_ms == 0;
  }

  void add_period(CLI::App& app) {
    flags::add_integer(
        app, "--reduce_every", period_ms,
        "milliseconds between two looks of rank 0's tasks at the result, in "
        "runs that may cancel; 0: each task looks",
        0, 3'600'000);
  }
};

// The same with a limit. A look costs the same without one, as when the paper's
// overhead is measured.
struct Limited : Cancelable {
  // Value that the result has to reach; 0: no limit.
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
    params.emplace_back("reduce_every_ms", period_ms);
    return params;
  }
};

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_CANCELABLE_H_
