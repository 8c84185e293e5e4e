// Runs that are ended early where they may not be, or with values that they may
// not have; bounds that were not allocated.

#include <cmath>
#include <thread>

#include "common/run/shared_max.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

// Makes a mistake in a run whose result is a long.
template <auto kDeed>
int in_run_with_result(CommandLine line) {
  long result = 0;
  RunReport report;
  return run_with_result(
      {line.argv + 1, line.argv + line.argc},
      [] {
        spawn([] { kDeed(); }).join();
        return 1l;
      },
      &result, &report);
}

void ends() { end_run(); }
void asks() {
  if (run_is_ending()) end_run();
}
void ends_with_an_int() { end_run(1); }

struct EndsInPrepare {
  void prepare() { end_run(); }
  void operator()() const {}
};
// Ends a run early: the value is the exit status.
int ends_with_a_status(CommandLine line) {
  return run(line.argc, line.argv, [] {
    spawn([] { end_run(3); }).join();
    return 0;
  });
}
void ends_twice() {
  spawn(ends).join();
  ends();
}

// A root that runs on a copy from before prepare().
struct Bounded {
  SharedMax<long> bound = {};

  size_t heap_bytes() const { return SharedMax<long>::heap_bytes(); }
  void prepare() { bound.allocate(1); }
  void operator()() const { bound.raise(2); }
};

struct BoundedByNan {
  SharedMax<double> bound = {};

  size_t heap_bytes() const { return SharedMax<double>::heap_bytes(); }
  void prepare() { bound.allocate(1); }
  void operator()() const {
    root_task<BoundedByNan>().bound.raise(std::nan(""));
  }
};

constexpr char kOutside[] = "outside a run";
constexpr char kTooEarly[] = "rank \\d: .*prepare\\(\\) runs before them; ";
constexpr char kNoBound[] =
    "rank \\d: a SharedMax is used that was not allocated: prepare\\(\\) of "
    "the root task calls allocate\\(\\)";

constexpr Mistake kMistakes[] = {
    {"end_before_run", before_run<ends>, kTold, kOutside},
    {"end_after_run", after_run<ends>, kTold, kOutside},
    {"end_with_value_before_run", before_run<ends_with_an_int>, kTold,
     kOutside},
    {"asks_for_end_after_run", after_run<asks>, kTold, kOutside},
    {"prepare_ends", run_root<EndsInPrepare>, kTold, kTooEarly},
    {"thread_ends", in_run<[] { std::thread(ends).join(); }>, kTold,
     "end_run was called by a thread of the program's own", kOneRank},
    {"end_with_another_type", in_run_with_result<[] { end_run(1.5); }>, kTold,
     "rank \\d: end_run\\(\\) of a value of type double, where the root task "
     "returns a long$"},
    {"end_with_another_integer", in_run_with_result<ends_with_an_int>, kTold,
     "rank \\d: end_run\\(\\) of a value of type int, where the root task "
     "returns a long$"},
    {"end_with_value_of_nothing", in_run<ends_with_an_int>, kTold,
     "rank \\d: end_run\\(\\) of a value of type int, where the root task "
     "returns nothing: end_run\\(\\) ends it without one$"},
    {"end_with_status", ends_with_a_status, kDies},
    {"end_twice", in_run<ends_twice>},

    {"bound_of_the_copy", run_root<Bounded>, kTold, kNoBound},
    {"bound_of_none", in_run<[] { SharedMax<int>().get(); }>, kTold, kNoBound},
    {"bound_allocated_by_a_task", in_run<[] { SharedMax<int>().allocate(1); }>,
     kTold, "rank \\d: .* was called by a task"},
    {"bound_of_nan", run_root<BoundedByNan>, kTold,
     "rank \\d: a SharedMax is raised to a NaN, which is no number$"},
};

}  // namespace

std::span<const Mistake> early_end() { return kMistakes; }

}  // namespace magpie::mistakes
