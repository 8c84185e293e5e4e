// Variables of static storage that tasks write, though each rank has its own;
// and writes that are no mistakes.

#include "common/fork_join/parallel.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/mistakes.h"

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
    {"globals_array", in_run<writes_an_array>, kWarnedInDebugBuilds, kWritten},
    {"globals_counter", in_run<counts>, kWarnedInDebugBuilds, kWritten,
     kOneRank},
    {"globals_explored", in_run<counts>, kWarnedInDebugBuilds, kWritten,
     "--ranks=2 --explore --seed=3"},
    {"globals_table", in_run<makes_a_table>, kWarnedInDebugBuilds, kWritten},
    {"globals_library", in_run<uses_the_library>},
    {"globals_prepared", run_root<Prepared>},
    {"globals_between", writes_between},
    {"globals_in_each_run", counts_in_each_run, kWarnedInDebugBuilds, kWritten},
};

}  // namespace

std::span<const Mistake> globals() { return kMistakes; }

}  // namespace magpie::mistakes
