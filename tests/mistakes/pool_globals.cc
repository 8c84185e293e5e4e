// Variables of static storage that a pool's tasks write.

#include "tests/mistakes/pool_globals.h"

#include <cstdint>
#include <cstdio>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/pool_mistakes.h"
#include "tests/mistakes/written.h"

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
void counts_in_a_class() {
  ++Counter::of_all;
  Counter::atomic.fetch_add(1);
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
int prepare_writes(CommandLine line) {
  return run_pool(line.argc, line.argv, Prepared{});
}
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
    MAGPIE_GLOBALS_ROWS("array", in_tasks<writes_an_array>,
                        "magpie::mistakes::\\(anonymous namespace\\)::numbers "
                        "\\(8000 bytes\\)",
                        "merge\\(\\) results, or share symmetric memory "
                        "\\(pool_root<F>\\(\\)\\)"),
    // Where ranks are processes, the words say on which: where the task ran.
    {"globals_elsewhere", kStop, End::kTold,
     "^ran on rank (\\d)\\n(.*\\n)*magpie: rank "
     "(\\1: tasks have written [^ ]*written_by_all \\(8 bytes\\), of which"
     "|\\d: tasks have written .*written_by_all.*on a rank that is not "
     "known)",
     counts_on_the_last, ranks_run_their_mail},
    {"globals_of_a_function", kStop, End::kTold,
     "count_in_a_function\\(\\)::counter \\(8 bytes\\)",
     in_tasks<count_in_a_function>},
    {"globals_of_a_class", kStop, End::kTold, "Counter::of_all \\(8 bytes\\)",
     in_tasks<counts_in_a_class>},
    {"globals_atomic", kStop, End::kTold, "Counter::atomic \\(8 bytes\\)",
     in_tasks<counts_in_a_class>},
    {"globals_table", kStop, End::kWarned, kInitialized,
     in_tasks<makes_a_table>},
    {"globals_library", kStop, End::kWell, "", in_tasks<use_the_library>},
    {"globals_prepared", kStop, End::kWell, "", prepare_writes},
    {"globals_between", kStop, End::kWell, "", writes_between},
};

}  // namespace

std::span<const Mistake> pool_globals() { return kMistakes; }

}  // namespace magpie::mistakes
