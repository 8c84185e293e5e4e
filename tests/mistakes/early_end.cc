// Runs that are ended early where they may not be, or with values that they may
// not have; bounds that were not allocated.

#include <cmath>
#include <cstdint>
#include <thread>

#include "common/run/shared_max.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

template <auto kDeed>
int before_run(CommandLine line) {
  kDeed();
  return run(line.argc, line.argv, [] {});
}
template <auto kDeed>
int after_run(CommandLine line) {
  const int status = run(line.argc, line.argv, [] {});
  if (status == 0) kDeed();
  return status;
}
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
void ends_with_a_double() { end_run(1.5); }
void ends_with_an_int() { end_run(1); }
void asks() {
  if (run_is_ending()) end_run();
}
void a_thread_ends() { std::thread(ends).join(); }

struct EndsInPrepare {
  void prepare() { end_run(); }
  void operator()() const {}
};
template <typename Root>
int run_root(CommandLine line) {
  return run(line.argc, line.argv, Root{});
}

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
void reads_no_bound() { SharedMax<int>().get(); }
void allocates_a_bound() { SharedMax<int>().allocate(1); }

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
    {"end_before_run", kTwoRanks, End::kTold, kOutside, before_run<ends>},
    {"end_after_run", kTwoRanks, End::kTold, kOutside, after_run<ends>},
    {"end_with_value_before_run", kTwoRanks, End::kTold, kOutside,
     before_run<ends_with_an_int>},
    {"asks_for_end_after_run", kTwoRanks, End::kTold, kOutside,
     after_run<asks>},
    {"prepare_ends", kTwoRanks, End::kTold, kTooEarly, run_root<EndsInPrepare>},
    {"thread_ends", kOneRank, End::kTold,
     "end_run was called by a thread of the program's own",
     in_run<a_thread_ends>},
    {"end_with_another_type", kTwoRanks, End::kTold,
     "rank \\d: end_run\\(\\) of a value of type double, where the root task "
     "returns a long$",
     in_run_with_result<ends_with_a_double>},
    {"end_with_another_integer", kTwoRanks, End::kTold,
     "rank \\d: end_run\\(\\) of a value of type int, where the root task "
     "returns a long$",
     in_run_with_result<ends_with_an_int>},
    {"end_with_value_of_nothing", kTwoRanks, End::kTold,
     "rank \\d: end_run\\(\\) of a value of type int, where the root task "
     "returns nothing: end_run\\(\\) ends it without one$",
     in_run<ends_with_an_int>},
    {"end_with_status", kTwoRanks, End::kDies, "", ends_with_a_status},
    {"end_twice", kTwoRanks, End::kWell, "", in_run<ends_twice>},

    {"bound_of_the_copy", kTwoRanks, End::kTold, kNoBound, run_root<Bounded>},
    {"bound_of_none", kTwoRanks, End::kTold, kNoBound, in_run<reads_no_bound>},
    {"bound_allocated_by_a_task", kTwoRanks, End::kTold,
     "rank \\d: .* was called by a task", in_run<allocates_a_bound>},
    {"bound_of_nan", kTwoRanks, End::kTold,
     "rank \\d: a SharedMax is raised to a NaN, which is no number$",
     run_root<BoundedByNan>},
};

}  // namespace

std::span<const Mistake> early_end() { return kMistakes; }

}  // namespace magpie::mistakes
