// btc: Binary Task Creation (hpdc15 §6.1). A task of depth d > 0 does this one
// or several times: it creates two tasks of depth d - 1, and waits for both.
// There is no other work; if it does so several times, parallelism grows and
// shrinks all the time.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "bench/program.h"

namespace magpie::bench {
namespace {

// Creates the tasks. Returns their number.
uint64_t create(int depth, int times) {
  uint64_t tasks = 1;
  for (int i = 0; i < times && depth > 0; ++i) {
    const auto a = spawn([=] { return create(depth - 1, times); });
    const auto b = spawn([=] { return create(depth - 1, times); });
    tasks += a.join();
    tasks += b.join();
  }
  return tasks;
}

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

}  // namespace

int btc_main(CLI::App& app, int argc, char** argv) {
  int depth = 22, iter = 1;
  flags::add_integer<int>(app, "--depth", depth,
                          "depth of the tree of tasks; each level multiplies "
                          "time and tasks by 2 * --iter",
                          0, 60);
  flags::add_integer<int>(app, "--iter", iter,
                          "number of times that each task creates two tasks", 1,
                          1000);
  const Arguments arguments = parse(app, argc, argv);
  const uint64_t known = tasks_of(depth, iter);
  if (known == 0) {
    flags::die(absl::StrCat("--depth: ", depth, " with --iter=", iter,
                            "; allowed: fewer than 2^64 tasks in all"));
  }
  uint64_t tasks = 0;
  return run(
      arguments, {{"depth", depth}, {"iter", iter}},
      [=] { return create(depth, iter); }, &tasks,
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
