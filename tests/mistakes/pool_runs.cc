// Runs of pools that come to wait for ever, whose results cannot be merged,
// that are ended early where they may not be, or whose tasks write variables of
// static storage.

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "common/rma/rma.h"
#include "common/run/shared_max.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

// ------------------------------------------------------- waiting, and merging

// Throws where two partial results meet, the one of another rank among them.
struct NoRoom {
  void merge(const NoRoom&) { throw std::runtime_error("no room for two"); }
};
int throws_in_the_reduction(CommandLine line) {
  NoRoom result;
  return run_pool(
      line.argc, line.argv, [] { add([] {}); }, &result);
}
struct ThrowsOnMerge {
  void merge(const ThrowsOnMerge&) { throw std::runtime_error("no room"); }
};
int throws_in_a_merge(CommandLine line) {
  ThrowsOnMerge result;
  return run_pool(
      line.argc, line.argv, [] { add([] { merge(ThrowsOnMerge{}); }); },
      &result);
}

void polls_for_ever() {
  for (volatile bool done = false; !done;) rma::idle();
}

constexpr char kPatient[] = "--ranks=1 --patience=0.4|--ranks=2 --patience=0.4";
constexpr char kPolling[] =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d polls, in idle\\(\\)"
    "|livelock";

// Whether the network is real: a simulation's patience counts virtual time.
constexpr auto kReal = [] { return !rma::is_simulated(); };

// ----------------------------------------------------------------------- ends

// Makes a mistake in a task of a run whose result is a uint64_t.
template <auto kDeed>
int in_run_with_result(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add_at(rma::size() - 1, [] { kDeed(); }); },
      &result);
}

void ends() { end_pool(); }
void asks() {
  if (pool_is_ending()) end_pool();
}
void ends_with_a_number() { end_pool(uint64_t{1}); }
void ends_twice() {
  ends_with_a_number();
  ends();
}

struct EndsInPrepare {
  void prepare() { end_pool(); }
  void operator()() const {}
};

constexpr char kOutside[] = "outside a run";

// ----------------------------------------------------------- static variables

double numbers[1000];

template <auto kDeed>
int in_tasks(CommandLine line) {
  return run_pool(line.argc, line.argv, [] {
    for (int i = 0; i < 10; ++i) add([] { kDeed(); });
  });
}

void writes_an_array() {
  for (double& number : numbers) number += 1;
  seen(numbers);
}
void counts() {
  ++written_by_all;
  seen(written_by_all);
}
// The task may be stolen from the rank that it was added at.
void counts_and_tells() {
  std::fprintf(stderr, "ran on rank %d\n", rma::rank());
  counts();
}
void makes_a_table() { seen(made_when_needed()); }

struct Prepared {
  void prepare() {
    counts();
    made_when_needed();
  }
  void operator()() const {
    add([] { makes_a_table(); });
  }
};
int writes_between(CommandLine line) {
  for (int i = 0; i < 3; ++i) {
    counts();
    uint64_t result = 0;
    const int status = run_pool(
        line.argc, line.argv, [] { add([] { merge(uint64_t{1}); }); }, &result);
    if (status != 0 || result != 1) return 4;
  }
  return 0;
}

template <auto kDeed>
void adds() {
  add([] { kDeed(); });
}

constexpr Mistake kMistakes[] = {
    {"reduction_throws", throws_in_the_reduction, kTold,
     "rank \\d: an exception left the merging of results: no room for two$"},
    {"reduction_of_one", throws_in_the_reduction, kWell, "", kOneRank},
    {"merge_throws", throws_in_a_merge, kTold,
     "rank \\d: an exception left a task, .*: no room$", kOneAndTwo},
    {"polls_for_ever", in_root<adds<polls_for_ever>>, kTold, kPolling, kPatient,
     kReal},
    {"polls_for_ever_simulated", in_root<adds<polls_for_ever>>, kTold, kPolling,
     "--ranks=1 --patience=0.002|--ranks=2 --patience=0.002",
     rma::is_simulated},
    {"computes_for_long", in_root<adds<[] { rma::compute(1'000'000'000); }>>,
     kWell, "", kPatient},

    {"end_before_run", before_pool<ends>, kTold, kOutside},
    {"end_after_run", after_pool<ends_with_a_number>, kTold, kOutside},
    {"asks_for_end_before_run", before_pool<asks>, kTold, kOutside},
    {"prepare_ends", run_pool_root<EndsInPrepare>, kTold,
     "rank \\d: .*prepare\\(\\) runs before them"},
    {"thread_ends", in_run_with_result<[] { std::thread(ends).join(); }>, kTold,
     "end_pool was called by a thread of the program's own", kOneRank},
    {"end_with_another_type", in_run_with_result<[] { end_pool(1.5); }>, kTold,
     "rank \\d: end_pool\\(\\) of a value of type double, where run_pool has a "
     "result of type unsigned long$"},
    {"end_with_value_of_nothing", in_task<ends_with_a_number>, kTold,
     "rank \\d: end_pool\\(\\) of a value of type unsigned long, where "
     "run_pool was given no result$"},
    {"end_twice", in_run_with_result<ends_twice>},
    {"end_without_result", in_task<ends>},
    {"bound_of_none", in_task<[] { SharedMax<long>().raise(1); }>, kTold,
     "rank \\d: a SharedMax is used that was not allocated"},

    {"globals_array", in_tasks<writes_an_array>, kWarnedInDebugBuilds,
     kWritten},
    // The words say on which rank: where the task ran.
    {"globals_elsewhere", in_task<counts_and_tells>, kDebug ? kWarned : kGoesOn,
     "^ran on rank (\\d)\\n(.*\\n)*magpie: rank \\1: warning: tasks have "
     "written static variables",
     kTwoRanks, ranks_run_their_mail},
    {"globals_library", in_tasks<use_the_library>},
    {"globals_prepared", run_pool_root<Prepared>},
    {"globals_between", writes_between},
};

}  // namespace

std::span<const Mistake> pool_runs() { return kMistakes; }

}  // namespace magpie::mistakes
