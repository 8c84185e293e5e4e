// The parts of a program with fork and join in which mistakes are made, by the
// same names as with the other facade, and the words in which these differ.

#ifndef MAGPIE_TESTS_MISTAKES_FORK_JOIN_H_
#define MAGPIE_TESTS_MISTAKES_FORK_JOIN_H_

#include <cstdint>
#include <string>

#include "common/fork_join/fork_join.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

// Flags with which tasks move at each spawn, on networks that allow it.
inline const std::string kMoving = "--ranks=2 --forced_steal";
inline const std::string kOneAndMoving = kOneRank + "|" + kMoving;
inline const std::string kTwoAndMoving = kTwoRanks + "|" + kMoving;

namespace fork_join {

template <typename Root>
int start(CommandLine line, Root root) {
  return run(line.argc, line.argv, root);
}
template <typename F>
void make_task(F f) {
  spawn(f).join();
}
template <typename T>
void end(T value) {
  end_run(value);
}
inline void end() { end_run(); }
inline bool is_ending() { return run_is_ending(); }
template <typename Root>
const Root& root() {
  return root_task<Root>();
}
// Runs f in a task, and has a result of 5.
template <typename F>
int run_to(CommandLine line, uint64_t* result, F f) {
  return run_with_result(
      {line.argv + 1, line.argv + line.argc},
      [f] {
        make_task(f);
        return uint64_t{5};
      },
      result, nullptr);
}
template <auto kDeed>
int in_task(CommandLine line) {
  return start(line, [] { make_task([] { kDeed(); }); });
}

inline const std::string kTask = "rank \\d: an exception left a task";
inline const std::string kTooDeep =
    "rank \\d: (the region is exhausted: tasks nest too deeply; raise "
    "--region_bytes|the stack of .*; raise --stack_bytes)$";
inline const std::string kTooEarly =
    "rank \\d: this is a run of run\\(\\): .*, and prepare\\(\\) runs before "
    "them; ";
inline const std::string kStack =
    "rank \\d: a task's closure holds at byte \\d+ an address of the stack of "
    "a task, 0x[0-9a-f]+, which .* capture by value, and return results";
inline const std::string kMakesTask = "spawn", kEnds = "end_run";
inline const std::string kRuns = "run_with_result";
inline const std::string kHasResult = "the root task returns a unsigned long$";
inline const std::string kHasNone =
    "the root task returns nothing: end_run\\(\\) ends it without one$";

inline std::string flags_help() { return seam::flags_help(); }
inline bool takes_one_rank() { return false; }
// Whether --patience ends a job in which nothing goes on.
inline bool tells_hangs() { return !seam::traits().waits_in_turns; }

}  // namespace fork_join

MAGPIE_PARTS(fork_join)

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_FORK_JOIN_H_
