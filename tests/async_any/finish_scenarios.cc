// Finishes in a row: tasks that are added in a finish are run in it, and merged
// into its result.

#include <cstdint>
#include <vector>

#include "common/rma/rma.h"
#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {
namespace {

// Finishes without tasks. Ranks that rest when one begins are woken: else it
// would take a simulation eight milliseconds.
SCENARIO(empty) {
  const uint64_t result = run_suite(p, [](const Suite&) {
    expect_equal("result before a finish", reduce_async_any<uint64_t>(), 0);
    for (int i = 0; i < 5; ++i) {
      if (rma::is_simulated()) rma::compute(2'000'000);
      const uint64_t begin = rma::now();
      bool was_called = false;
      finish_async_any([&] { was_called = true; });
      expect_equal("body was called", was_called, true);
      if (rma::is_simulated())
        expect_at_most("ns of an empty finish", rma::now() - begin, 5'000'000);
      expect_equal("result of nothing", reduce_async_any<uint64_t>(), 0);
      expect_equal("cancelled", cancelled(), false);
    }
  });
  expect_equal("result", result, 0);
}

// Each finish has as many tasks as results; the last finish's result is the
// run's. The bodies merge too, and capture what the root has on its stack. They
// add more than a queue holds.
SCENARIO(in_a_row) {
  const auto full = p.with("--queue_bytes=1K");
  const uint64_t result = run_suite(full, [](const Suite& suite) {
    std::vector<int64_t> numbers;
    for (int64_t n = suite.n; n > 0; n /= 2) numbers.push_back(n);
    numbers.push_back(5);
    for (const int64_t& n : numbers) {
      finish_async_any([&n] {
        merge_async_any(uint64_t{1000});
        for (int64_t i = 0; i < n; ++i) async_any(One{});
      });
      const uint64_t expected = 1000 + static_cast<uint64_t>(n);
      expect_equal("result", reduce_async_any<uint64_t>(), expected);
      expect_equal("result, once more", reduce_async_any<uint64_t>(), expected);
    }
  });
  expect_equal("result of the run", result, 1005);
}

// The number of the finish, which every task knows.
struct Number {
  uint64_t value;
};
struct Numbered {
  uint64_t finish;
  int64_t left;

  void operator()() const {
    expect_equal("finish of a task", static_data<Number>().value, finish);
    merge_async_any(uint64_t{1});
    // Works or polls for a while, during which all other ranks may be idle.
    const uint64_t random =
        scrambled(finish * 1000 + static_cast<uint64_t>(left));
    if (random % 3 == 0)
      rma::compute(random >> 50);
    else if (random % 3 == 1)
      rma::idle(static_cast<int>(random >> 59));
    if (left <= 1) return;
    const auto place = static_cast<int>(random >> 33) % places();
    static_async_any(place, {Numbered{finish, left - 1}});
  }
};

// One or a few chains whose tasks are late, at any place: no finish ends before
// them, and none of them is run in the next.
SCENARIO(late) {
  run_suite(p, [](const Suite& suite) {
    const int64_t n = suite.n / 10 + 1;
    for (uint64_t finish = 1; finish <= 5; ++finish) {
      static_init(Number{finish});
      finish_async_any([&] {
        for (uint64_t i = 0; i < finish; ++i) async_any(Numbered{finish, n});
      });
      expect_equal("tasks", reduce_async_any<uint64_t>(),
                   finish * static_cast<uint64_t>(n));
    }
  });
}

// Tasks that fill their slots, in a finish, and in one that the first of them
// begins.
struct Filling {
  int64_t words[3];
  void operator()() const { merge_async_any(uint64_t{1}); }
};
struct FillsSlots {
  static constexpr uint32_t kTaskBytes = sizeof(Filling);
  int64_t n;

  void operator()() const {
    const auto add_all = [this] {
      for (int64_t i = 0; i < n; ++i) async_any(Filling{});
    };
    finish_async_any(add_all);
    expect_equal("tasks", reduce_async_any<uint64_t>(), n);
    add_all();
  }
};
SCENARIO(filling) {
  expect_equal("tasks", run(p, FillsSlots{p.n}).result, p.n);
}

// A last finish that the root begins by a task, without an end, when others are
// over and cancelled; all ways to add tasks to it.
SCENARIO(after_others) {
  const uint64_t result = run_suite(p, [](const Suite& suite) {
    for (int i = 0; i < 2; ++i) {
      finish_async_any([&] {
        for (int64_t k = 0; k < suite.n; ++k) cancelable_async_any(One{});
        cancel_all_cancelable_async_any();
      });
    }
    for (int64_t i = 0; i < suite.n; ++i) {
      expect_equal("added", cancelable_async_any(One{}), true);
      async_any(One{});
    }
    static_async_any(places() - 1, {One{}});
  });
  expect_equal("result of the run", result, 2 * p.n + 1);
}

// A task that ends the run: tasks of later finishes are dropped.
SCENARIO(ended) {
  const uint64_t result = run_suite(p, [](const Suite& suite) {
    finish_async_any([] { async_any([] { end_pool(uint64_t{7}); }); });
    expect_equal("result", reduce_async_any<uint64_t>(), 7);
    expect_equal("is ending", pool_is_ending(), true);
    finish_async_any([&] {
      for (int64_t i = 0; i < suite.n; ++i) async_any(One{});
    });
  });
  expect_equal("result of the run", result, 0);
}

}  // namespace
}  // namespace magpie::pool_conformance
