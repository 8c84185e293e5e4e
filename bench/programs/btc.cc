// btc: Binary Task Creation (hpdc15 §6.1). A task of depth d > 0 does this one
// or several times: it creates two tasks of depth d - 1, and waits for both.
// There is no other work; if it does so several times, parallelism grows and
// shrinks all the time.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "bench/program.h"
#include "bench/programs/fold.h"

namespace magpie::bench {
namespace {

// The known number of tasks; 0 where it does not fit into 64 bits.
uint64_t tasks_of(int depth, int times) {
  uint64_t tasks = 1;
  for (; depth > 0; --depth) {
    if (__builtin_mul_overflow(tasks, 2 * static_cast<uint64_t>(times),
                               &tasks) ||
        __builtin_add_overflow(tasks, uint64_t{1}, &tasks))
      return 0;
  }
  return tasks;
}

// --iter and --fold: small, since every task has them in its closure.
struct How {
  int16_t times, fold;
};

// Creates the tasks. Returns their number.
uint64_t create(int depth, How how) {
  if (depth <= how.fold) {
    const uint64_t tasks = tasks_of(depth, how.times);
    charge_folded(tasks - 1, 0);
    return tasks;
  }
  uint64_t tasks = 1;
  for (int i = 0; i < how.times; ++i) {
    const auto a = spawn([=] { return create(depth - 1, how); });
    const auto b = spawn([=] { return create(depth - 1, how); });
    tasks += a.join();
    tasks += b.join();
  }
  return tasks;
}

}  // namespace

int btc_main(CLI::App& app, int argc, char** argv) {
  int depth = 22, iter = 1, fold = 0;
  flags::add_integer<int>(app, "--depth", depth,
                          "depth of the tree of tasks; each level multiplies "
                          "time and tasks by 2 * --iter",
                          0, 60);
  flags::add_integer<int>(app, "--iter", iter,
                          "number of times that each task creates two tasks", 1,
                          1000);
  add_fold(app, fold);
  const Arguments arguments = parse(app, argc, argv);
  check_fold(fold);
  const uint64_t known = tasks_of(depth, iter);
  if (known == 0) {
    flags::die(absl::StrCat("--depth: ", depth, " with --iter=", iter,
                            "; allowed: fewer than 2^64 tasks in all"));
  }
  const How how = {static_cast<int16_t>(iter), static_cast<int16_t>(fold)};
  uint64_t tasks = 0;
  return run(
      arguments, {{"depth", depth}, {"iter", iter}, {"fold", fold}},
      [=] { return create(depth, how); }, &tasks,
      [&] {
        return Answer{
            .result = {{"tasks", tasks}},
            .mismatch = unless(tasks == known, "there are ", known, " tasks")};
      });
}

const Program kProgram(
    "btc", "Binary Task Creation: each task creates two and waits for both",
    btc_main);

}  // namespace magpie::bench
