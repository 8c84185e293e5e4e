// Variables of static storage that tasks write, though each rank has its own;
// and writes that are no mistakes.

#include "tests/mistakes/globals.h"

#include <atomic>
#include <vector>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/mistakes.h"
#include "tests/mistakes/written.h"

namespace magpie::mistakes {
namespace {

double numbers[1000];

void writes_an_array() {
  parallel_for(0, 1000, 100, [](int64_t i) { numbers[i] = 1; });
  seen(numbers);
}
void counts() {
  for (int i = 0; i < 10; ++i) spawn([] { ++written_by_all; }).join();
  seen(written_by_all);
}
void counts_in_a_function() {
  spawn([] { count_in_a_function(); }).join();
}
void counts_in_a_class() {
  spawn([] { ++Counter::of_all; }).join();
}
void counts_by_an_atomic() {
  spawn([] { Counter::atomic.fetch_add(1); }).join();
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
int prepare_writes(CommandLine line) {
  return run(line.argc, line.argv, Prepared{});
}
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

constexpr Mistake kMistakes[] = {
    MAGPIE_GLOBALS_ROWS("array", in_run<writes_an_array>,
                        "magpie::mistakes::\\(anonymous namespace\\)::numbers "
                        "\\(8000 bytes\\)",
                        "return results, or share symmetric memory "
                        "\\(root_task<F>\\(\\)\\)"),
    MAGPIE_GLOBALS_ROWS("counter", in_run<counts>,
                        "magpie::mistakes::written_by_all \\(8 bytes\\)",
                        "return results"),
    {"globals_of_a_function", kStop, End::kTold,
     "count_in_a_function\\(\\)::counter \\(8 bytes\\)",
     in_run<counts_in_a_function>},
    {"globals_of_a_class", kStop, End::kTold, "Counter::of_all \\(8 bytes\\)",
     in_run<counts_in_a_class>},
    {"globals_atomic", kStop, End::kTold, "Counter::atomic \\(8 bytes\\)",
     in_run<counts_by_an_atomic>},
    {"globals_table", kStop, End::kWarned, kInitialized, in_run<makes_a_table>},
    {"globals_library", kStop, End::kWell, "", in_run<uses_the_library>},
    {"globals_prepared", kStop, End::kWell, "", prepare_writes},
    {"globals_between", kStop, End::kWell, "", writes_between},
};

}  // namespace

std::span<const Mistake> globals() { return kMistakes; }

}  // namespace magpie::mistakes
