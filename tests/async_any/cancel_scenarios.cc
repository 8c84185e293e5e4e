// Cancelled finishes: a cancelable task is run at most once, and does not start
// any more when the cancel has returned.
//
// A cancelable task draws a number as the first thing that it does, and a task
// that cancels draws one when the cancel has returned. A task with a larger
// number has passed the pool's check before the cancel and drawn after it:
// there is one such task per rank at most, and none on the cancelling rank.

#include <algorithm>
#include <cstdint>

#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {
namespace {

struct Cancels {
  // Number of cancels.
  uint64_t count = 0;
  // Number that was drawn after the last cancel.
  uint64_t number = 0;
  // Numbers of cancelable tasks that were run, of other tasks that were run,
  // and of other tasks that were added.
  uint64_t cancelable = 0, others = 0, added = 0;

  void merge(const Cancels& other) {
    count += other.count;
    number = std::max(number, other.number);
    cancelable += other.cancelable;
    others += other.others;
    added += other.added;
  }
};

// Cancels, and checks that no cancelable task starts on this rank any more, and
// none is taken.
void cancel_and_look() {
  cancel_all_cancelable_async_any();
  const uint64_t number = draw();
  merge_async_any(Cancels{.count = 1, .number = number});
  expect_equal("cancelled", cancelled(), true);
  expect_equal("added", cancelable_async_any(One{}), false);
  expect_equal("added at a place",
               cancelable_static_async_any(places() - 1, {One{}, One{}}),
               false);
}

// A task. Tasks 0, 2, 4, ... are cancelable, and the first of them add the next
// two of a binary tree; tasks 1, 3, 5, ... are not cancelable.
struct Task {
  // Numbers: tasks that draw them cancel.
  struct Who {
    int32_t first, second;
  };

  int64_t id, n;
  Who cancels;

  void operator()() const {
    const bool is_cancelable = id % 2 == 0;
    const uint64_t number = is_cancelable ? note_begin() : draw();
    mark(id);
    merge_async_any(
        Cancels{.cancelable = is_cancelable, .others = !is_cancelable});
    if (number == static_cast<uint64_t>(cancels.first) ||
        number == static_cast<uint64_t>(cancels.second))
      cancel_and_look();
    for (int64_t next = 2 * id + 1; next <= 2 * id + 2 && next < n; ++next)
      add(next);
  }
  void add(int64_t next) const {
    const Task task{next, n, cancels};
    if (next % 2 == 1) {
      merge_async_any(Cancels{.added = 1});
      return async_any(task);
    }
    const bool was_cancelled = cancelled();
    // All tasks are refused that a task adds which knows of the cancel.
    if (was_cancelled)
      expect_equal("added", cancelable_async_any(task), false);
    else
      cancelable_async_any(task);
  }
};

// Number of a rank's notes with a number above `number`.
uint64_t late_notes(int rank, uint64_t number) {
  uint64_t late = 0;
  for_each_note(rank, [&](uint64_t drawn) { late += drawn > number; });
  return late;
}

// Checks a finish after its end, whether it was cancelled or not.
void look_back(const Suite& suite) {
  const Cancels sum = reduce_async_any<Cancels>();
  expect_equal("cancelled", cancelled(), sum.count > 0);
  expect_equal("tasks that cannot be cancelled", sum.others, sum.added);
  expect_equal("tasks that were run", marked(), sum.cancelable + sum.others);
  uint64_t notes = 0;
  for (int rank = 0; rank < rma::size(); ++rank) {
    for_each_note(rank, [&](uint64_t) { ++notes; });
    if (sum.count > 0) {
      expect_at_most("cancelable tasks of a rank after the cancel",
                     late_notes(rank, sum.number), 1);
    }
  }
  expect_equal("notes", notes, sum.cancelable);
  if (sum.count == 0)
    expect_equal("tasks", sum.cancelable + sum.others, suite.n);
  forget();
}

// Finishes in which one task cancels, early or late; or two do, maybe at once;
// or none. What comes after a finish knows nothing of its cancel.
SCENARIO(cancel_tree) {
  run_suite<Cancels>(p, [](const Suite& suite) {
    const auto n = static_cast<int32_t>(std::min<int64_t>(suite.n, 1 << 30));
    for (const Task::Who who : {Task::Who{0, 0},
                                {n / 3, -1},
                                {-1, -1},
                                {1, 2},
                                {n / 4, n / 4 + 1},
                                {n / 2, n / 3},
                                {-1, -1}}) {
      finish_async_any([&] {
        expect_equal("cancelled at first", cancelled(), false);
        expect_equal("added", cancelable_async_any(Task{0, suite.n, who}),
                     true);
      });
      look_back(suite);
    }
  });
}

// The body cancels the tasks that it has added, also at other places: none of
// them is run on its own rank then; tasks that are not cancelable are run all
// the same.
SCENARIO(cancel_by_the_body) {
  run_suite<Cancels>(p, [](const Suite& suite) {
    finish_async_any([&] {
      for (int64_t id = 0; id < suite.n; ++id) {
        const Task task{id, 0, {-1, -1}};
        const auto place = static_cast<int>(id / 2 % places());
        if (id % 2 == 1) {
          merge_async_any(Cancels{.added = 1});
          static_async_any(place, {task});
        } else {
          expect_equal("added", cancelable_static_async_any(place, {task}),
                       true);
        }
      }
      cancel_and_look();
    });
    expect_equal("cancelable tasks of rank 0 after the cancel",
                 late_notes(0, reduce_async_any<Cancels>().number), 0);
    look_back(suite);
  });
}

// A task that was there before them cancels, while the body adds others, which
// can be cancelled or not.
SCENARIO(cancel_crowd) {
  run_suite<Cancels>(p, [](const Suite& suite) {
    finish_async_any([&] {
      async_any([] { cancel_and_look(); });
      for (int64_t id = 0; id < suite.n; ++id) {
        const Task task{id, 0, {-1, -1}};
        if (id % 2 == 1) {
          merge_async_any(Cancels{.added = 1});
          async_any(task);
        } else {
          cancelable_async_any(task);
        }
      }
    });
    look_back(suite);
  });
}

// With one rank nothing is run in the body, also of tasks that the queue has no
// room for.
SCENARIO(cancel_alone) {
  run_suite<Cancels>(p.with("--queue_bytes=1K"), [](const Suite& suite) {
    expect_equal("cancelled before all finishes", cancelled(), false);
    for (int i = 0; i < 3; ++i) {
      finish_async_any([&] {
        for (int64_t id = 0; id < suite.n; ++id)
          cancelable_async_any(Task{2 * id, 0, {-1, -1}});
        cancel_and_look();
      });
      if (rma::size() == 1) expect_equal("tasks that were run", marked(), 0);
      forget();
    }
  });
}

// A task at every place cancels.
SCENARIO(cancel_everywhere) {
  run_suite<Cancels>(p, [](const Suite& suite) {
    finish_async_any([&] {
      for (int place = 0; place < places(); ++place)
        static_async_any(place, {[] { cancel_and_look(); }});
      cancelable_async_any(Task{0, suite.n, {-1, -1}});
    });
    expect_equal("cancels", reduce_async_any<Cancels>().count, places());
    look_back(suite);
  });
}

// A task that runs sees in the end that it is cancelled.
struct Waits {
  void operator()() const {
    while (!cancelled()) rma::idle();
    merge_async_any(Cancels{.others = 1});
  }
};
SCENARIO(cancel_seen) {
  run_suite<Cancels>(p, [](const Suite&) {
    finish_async_any([] {
      for (int place = 0; place < places(); ++place)
        static_async_any(place, {Waits{}});
      cancel_and_look();
    });
    expect_equal("those who waited", reduce_async_any<Cancels>().others,
                 places());
  });
}

}  // namespace
}  // namespace magpie::pool_conformance
