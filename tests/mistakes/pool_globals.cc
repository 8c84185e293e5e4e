// Variables of static storage that a pool's tasks write.

#include <cstdint>
#include <cstdio>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

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
int counts_on_the_last(CommandLine line) {
  return run_pool(line.argc, line.argv,
                  [] { add_at(rma::size() - 1, [] { counts_and_tells(); }); });
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

constexpr Mistake kMistakes[] = {
    {"globals_array", in_tasks<writes_an_array>, kWarnedInDebugBuilds,
     kWritten},
    // The words say on which rank: where the task ran.
    {"globals_elsewhere", counts_on_the_last, kDebug ? kWarned : kGoesOn,
     "^ran on rank (\\d)\\n(.*\\n)*magpie: rank \\1: warning: tasks have "
     "written static variables",
     kTwoRanks, ranks_run_their_mail},
    {"globals_library", in_tasks<use_the_library>},
    {"globals_prepared", run_root<Prepared>},
    {"globals_between", writes_between},
};

}  // namespace

std::span<const Mistake> pool_globals() { return kMistakes; }

}  // namespace magpie::mistakes
