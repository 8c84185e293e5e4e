// Tasks that end the process, throw, take too much, or get their sizes wrong;
// runs that are ended early where they may not be, or with values that they may
// not have; bounds that were not allocated; and variables of static storage
// that tasks write, though each rank has its own.

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "common/fork_join/parallel.h"
#include "common/run/shared_max.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

// ---------------------------------------------------------------- the process

void throws() {
  spawn([]() -> int { throw std::runtime_error("no such file"); }).join();
}

template <int kStatus>
void exits() {
  spawn([] { std::exit(kStatus); }).join();
}
void exits_at_once() {
  spawn([] { _exit(0); }).join();
}
[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return spawn([n] { return recurses(n + 1); }).join() + here;
}
void recurses_with_tasks() { recurses(0); }
struct Huge {
  std::array<char, 1 << 20> bytes;
};
struct Long {
  std::array<char, 8 << 10> bytes;
};
[[gnu::noinline]] void large_closure() {
  static Huge huge;
  spawn([h = huge] { return h.bytes[0]; }).join();
}
[[gnu::noinline]] void large_result() {
  spawn([] { return Long{}; }).join();
}

constexpr char kExits[] = "rank \\d: called exit in the middle of the run";
constexpr char kTooDeep[] =
    "rank \\d: (the region is exhausted: tasks nest too deeply; raise "
    "--region_bytes|the stack of .*; raise --stack_bytes)$";
constexpr char kTooLittle[] =
    "the memory of task entries is exhausted: .* raise --entry_bytes$";

// -------------------------------------------------------------------- the run

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

// ----------------------------------------------------------- static variables

double numbers[1000];

void writes_an_array() {
  parallel_for(0, 1000, 100, [](int64_t i) { numbers[i] = 1; });
  seen(numbers);
}
void counts() {
  for (int i = 0; i < 10; ++i) spawn([] { ++written_by_all; }).join();
  seen(written_by_all);
}
void makes_a_table() {
  for (int i = 0; i < 10; ++i)
    spawn([] { return made_when_needed()[3]; }).join();
}
// Uses the C++ library, whose own variables are not the program's.
void uses_the_library() {
  spawn([] { use_the_library(); }).join();
}

struct Prepared {
  void prepare() {
    ++written_by_all;
    made_when_needed();
  }
  void operator()() const {
    spawn([] { return written_by_all + made_when_needed()[3]; }).join();
  }
};
int writes_between(CommandLine line) {
  for (int i = 0; i < 3; ++i) {
    ++written_by_all;
    if (const int status =
            run(line.argc, line.argv, [] { spawn([] { return 1; }).join(); });
        status != 0)
      return status;
    seen(written_by_all);
  }
  return 0;
}

// Is told of once.
int counts_in_each_run(CommandLine line) {
  for (int i = 0; i < 3; ++i) {
    if (const int status = run(line.argc, line.argv, [] { counts(); });
        status != 0)
      return status;
  }
  return 0;
}

constexpr Mistake kMistakes[] = {
    {"exception", in_run<throws>, kTold,
     "rank \\d: an exception left a task: no such file$"},
    {"exception_of_the_root", in_run<[] { throw 5; }>, kTold,
     "rank 0: an exception left a task; it is no std::exception$"},
    {"exit_3", in_run<exits<3>>, kDies, kExits},
    {"exit_0", in_run<exits<0>>, kTold, kExits},
    {"exit_at_once", in_run<exits_at_once>, kTold, kExits, kOneAndTwo},
    {"exit_quickly", in_run<[] { spawn([] { std::quick_exit(0); }).join(); }>,
     kTold, kExits},
    {"abort", in_run<[] { std::abort(); }>, kDies, "rank \\d: Aborted"},
    {"crash", in_run<[] { std::printf("printed before\n"), crashes(); }>, kDies,
     "rank \\d: Segmentation fault"},
    {"recursion", in_run<recurses_with_tasks>, kDies, kTooDeep,
     "--ranks=2 --region_bytes=1M"},
    {"recursion_of_entries", in_run<recurses_with_tasks>, kTold, kTooLittle,
     "--ranks=2 --entry_bytes=4K"},
    {"plain_recursion", in_run<exhausts_the_stack>, kDies, kTooDeep, kOneRank},
    {"large_frame", in_run<large_frame>, kDies, kTooDeep, kOneRank},
    {"large_closure", in_run<large_closure>, kDies, kTooDeep,
     "--ranks=2 --region_bytes=256K"},
    {"large_result", in_run<large_result>, kTold, kTooLittle,
     "--ranks=2 --entry_bytes=4K"},

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

    {"globals_array", in_run<writes_an_array>, kWarnedInDebugBuilds, kWritten},
    {"globals_counter", in_run<counts>, kWarnedInDebugBuilds, kWritten,
     "--ranks=1|--ranks=2 --explore --seed=3"},
    {"globals_table", in_run<makes_a_table>, kWarnedInDebugBuilds, kWritten},
    {"globals_library", in_run<uses_the_library>},
    {"globals_prepared", run_root<Prepared>},
    {"globals_between", writes_between},
    {"globals_in_each_run", counts_in_each_run, kWarnedInDebugBuilds, kWritten},
};

}  // namespace

std::span<const Mistake> endings() { return kMistakes; }

}  // namespace magpie::mistakes
