// Looks for different cubes that add up to a number; the task that finds some
// ends the run, whose result they are.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "common/fork_join/fork_join.h"

constexpr long kSum = 100000;

constexpr long cube(int i) { return long{i} * i * i; }

// Decides on the cubes from that of i down. `found` are those that were taken,
// a bit each.
void look(int i, long missing, uint64_t found) {
  if (missing == 0) return magpie::end_run(found);
  if (i == 0 || missing < 0 || magpie::run_is_ending()) return;
  const auto with = magpie::spawn(
      [=] { look(i - 1, missing - cube(i), found | uint64_t{1} << i); });
  look(i - 1, missing, found);
  with.join();
}

int main(int argc, char** argv) {
  uint64_t found = 0;
  magpie::RunReport report;
  const int status = magpie::run_with_result(
      std::vector<std::string>(argv + 1, argv + argc),
      [] {
        look(46, kSum, 0);
        return uint64_t{0};  // there are none, unless a task has ended the run
      },
      &found, &report);
  if (status != 0) return status;
  long sum = 0;
  for (int i = 1; i <= 46; ++i)
    if ((found >> i & 1) != 0) sum += cube(i);
  std::printf("cubes add up to %ld\n", sum);
  return sum == kSum ? 0 : 1;
}
