// The parts of a program with a pool in which mistakes are made, by the
// same names as with the other facade, and the words in which these differ.

#ifndef MAGPIE_TESTS_MISTAKES_POOL_H_
#define MAGPIE_TESTS_MISTAKES_POOL_H_

#include <cstdint>
#include <string>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

namespace pool {

template <typename Root>
int start(CommandLine line, Root root) {
  return run_pool(line.argc, line.argv, root);
}
template <typename F>
void make_task(F f) {
  add(f);
}
// Makes a task that another rank may run first.
template <typename F>
void make_task_elsewhere(F f) {
  add_at(rma::size() - 1, f);
}
template <typename T>
void end(T value) {
  end_pool(value);
}
inline void end() { end_pool(); }
inline bool is_ending() { return pool_is_ending(); }
template <typename Root>
const Root& root() {
  return pool_root<Root>();
}
template <typename F>
int run_to(CommandLine line, uint64_t* result, F f) {
  return run_pool(
      {line.argv + 1, line.argv + line.argc},
      [f] {
        make_task_elsewhere(f);
        add([] { merge(uint64_t{5}); });
      },
      result, nullptr);
}
// A task on any rank.
template <auto kDeed>
int in_task(CommandLine line) {
  return start(line, [] {
    add([] {});
    make_task_elsewhere([] { kDeed(); });
  });
}

inline const std::string kTask =
    "rank \\d: an exception left a task, .*in_task.*::\\{lambda\\(\\)#.*";
inline const std::string kTooDeep = kProcessStack;
inline const std::string kTooEarly =
    "rank \\d: this is a run of run_pool\\(\\): .*, and prepare\\(\\) runs "
    "before them; ";
// On the simulated network a rank's stack is one of several of the process.
inline const std::string kStack =
    "rank \\d: .*a task's closure holds at byte 0 an address of "
    "(this process's stack|memory of this process), 0x[0-9a-f]+, which .* "
    "capture by value";
inline const std::string kMakesTask = "add", kEnds = "end_pool";
inline const std::string kRuns = "run_pool";
inline const std::string kHasResult =
    "run_pool has a result of type unsigned long$";
inline const std::string kHasNone = "run_pool was given no result$";

inline std::string flags_help() { return pool_seam::flags_help(); }
inline bool takes_one_rank() { return pool_seam::traits().takes_one_rank; }
inline bool tells_hangs() { return true; }
// Whether a task that is added at a rank is run there, if others have work.
inline bool ranks_run_their_mail() { return pool_seam::traits().has_inboxes; }

}  // namespace pool

MAGPIE_PARTS(pool)

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_POOL_H_
