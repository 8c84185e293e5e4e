// Runs that a task ends before all are done.

#include <cstdint>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

// Counts that tasks merge: of tasks that were run, of tasks that ended the run,
// and of tasks that were run though the run had ended.
struct Seen {
  uint64_t run = 0, ends = 0, late = 0;

  Seen& operator+=(const Seen& other) {
    run += other.run;
    ends += other.ends;
    late += other.late;
    return *this;
  }
};
constexpr Seen kRun = {.run = 1};
constexpr Seen kEnds = {.run = 1, .ends = 1};

// Runs a pool, and checks that each task was run or dropped.
template <typename Root>
Ran<Seen> run_early(const Parameters& p, const Root& root) {
  const auto ran = run<Seen>(p, root);
  expect_equal("tasks run and dropped", ran.result.run + ran.dropped,
               ran.tasks);
  return ran;
}

// Once the root has ended the run no task begins.
SCENARIO(ended_by_root) {
  const auto ran = run_early(p, [n = p.n] {
    end_pool(Seen{.ends = 7});
    for (int64_t i = 0; i < n; ++i)
      add_at(static_cast<int>(i) % rma::size(), [] { merge(kRun); });
  });
  expect_equal("value that it was ended with", ran.result.ends, 7);
  expect_equal("tasks dropped", ran.dropped, p.n);

  expect_equal("of an end alone", run(p, [] { end_pool(); }).result, 0);
}

// Every task ends the run: as many values as calls are merged.
SCENARIO(ended_by_all) {
  const auto ran = run_early(p, [n = p.n] {
    for (int64_t i = 0; i < n; ++i) add([] { end_pool(kEnds); });
  });
  expect_equal("values merged", ran.result.ends, ran.result.run);
  expect_at_most("none was merged", ran.result.ends == 0, 0);
}

// Chains, every other link of which is at the next rank. The youngest, a short
// one, ends the run, unless another comes to its end first.
struct Chain {
  int64_t left;

  void operator()() const {
    if (left == 0) return end_pool(kEnds);
    merge(kRun);
    const Chain next = {left - 1};
    if (left % 2 == 0)
      add_at((rma::rank() + 1) % rma::size(), next);
    else
      add(next);
  }
};

SCENARIO(ended_chains) {
  const auto ran = run_early(p, [n = p.n] {
    for (int64_t i = 0; i < 9; ++i) add(Chain{100 * n});
    add(Chain{n});
  });
  expect_at_most("nobody ended it", ran.result.ends == 0, 0);
  // On one rank the youngest task is run first.
  if (ran.ranks == 1)
    expect_equal("tasks run", ran.result.run, static_cast<uint64_t>(p.n) + 1);
}

// More tasks than a queue holds, some of them at other ranks, which run them
// while others are still added: one in the middle ends the run.
SCENARIO(ended_full) {
  const int64_t n = 20 * p.n;
  const auto ran = run_early(p.with("--queue_bytes=1K"), [n] {
    add([n] {
      merge(kRun);
      for (int64_t i = 0; i < n; ++i) {
        const auto task = [i, n] {
          if (i == n / 2) return end_pool(kEnds);
          merge(kRun);
        };
        if (i % 3 == 0)
          add_at(static_cast<int>(i) % rma::size(), task);
        else
          add(task);
      }
    });
  });
  expect_equal("calls", ran.result.ends, 1);
  expect_equal("tasks", ran.tasks, static_cast<uint64_t>(n) + 1);
}

// Once the first call has returned, a rank begins at most one task more, at
// which it had looked before.
struct Late {
  rma::RemotePtr<rma::Word> returned = {};
  int64_t n;

  size_t heap_bytes() const { return rma::allocated_bytes<rma::Word>(); }
  void prepare() { returned = rma::allocate<rma::Word>().at(0); }
  void operator()() const {
    for (int64_t i = 0; i < n; ++i) add(Begins{i});
  }

  struct Begins {
    int64_t number;
    void operator()() const {
      const auto returned = pool_root<Late>().returned;
      if (rma::get_word(returned) != 0) merge(Seen{.late = 1});
      if (number != pool_root<Late>().n / 2) return merge(kRun);
      end_pool(kEnds);
      rma::fetch_add(returned, 1);
    }
  };
};
SCENARIO(ended_late) {
  const auto ran = run_early(p, Late{.n = p.n});
  expect_equal("calls", ran.result.ends, 1);
  expect_at_most("tasks that began later", ran.result.late, ran.ranks - 1);
}

// A long task learns of the end, and so does the task that ends the run. The
// latter is younger: it is run first where there is only one rank for both.
SCENARIO(ended_long_task) {
  const auto ran = run_early(p, [] {
    add([] {
      // Sends the notice of the steal that brought the task here: as long as it
      // is kept back the queue with the other task may be closed.
      rma::flush_all();
      while (!pool_is_ending()) rma::idle();
      merge(kRun);
    });
    add([] {
      end_pool(kEnds);
      if (!pool_is_ending()) merge(Seen{.late = 1});
    });
  });
  expect_equal("calls", ran.result.ends, 1);
  expect_equal("who ended it does not know", ran.result.late, 0);
}

}  // namespace
}  // namespace magpie::pool_conformance
