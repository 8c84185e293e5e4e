// The programs of the fork-join conformance suite.
//
// A scenario is a root task, written against the facade alone: it is compiled
// once and linked with every runtime and every network. It checks its own
// answers and ends the job with an error message where one is wrong; what only
// the report shows (counters, where the root ended) is checked by the driver,
// conformance_test.cc.

#ifndef MAGPIE_TESTS_FORK_JOIN_SCENARIO_H_
#define MAGPIE_TESTS_FORK_JOIN_SCENARIO_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "common/fork_join/fork_join.h"

namespace magpie::conformance {

// Parameters from the command line, the same on all ranks.
struct Parameters {
  // Size of the scenario.
  int64_t n = 0;
  // Grain of loops.
  int64_t grain = 1;
  // Number of moves after which to end, instead of after `n` rounds.
  uint64_t enough_moves = 0;
};

// Results that a scenario tells the driver.
struct Outcome {
  uint64_t answer = 0;
  // Number of spawns and joins after which the caller was on another rank.
  uint64_t moves = 0;
};

// Whether a scenario goes on. Thieves come at any time, so scenarios about
// moves go on until there were enough, and end after `n` rounds all the same.
inline bool go_on(const Parameters& p, int64_t round, const Outcome& outcome) {
  return round < p.n && (p.enough_moves == 0 || outcome.moves < p.enough_moves);
}

// Adds a scenario to those of the program. Returns true.
using Root = Outcome (*)(const Parameters&);
bool add_scenario(const char* name, Root root);

// SCENARIO(fib) { ... p.n ... } defines fib(p), and adds it by its name.
#define SCENARIO(name)                                    \
  static Outcome name(const Parameters& p);               \
  [[maybe_unused]] static const bool name##_is_scenario = \
      add_scenario(#name, name);                          \
  static Outcome name([[maybe_unused]] const Parameters& p)

// The place where a task is, and the number of places. The facade hides it. The
// compiler does not see these functions, since the answer changes in the middle
// of a task.
int place();
int places();

// A notice board that all tasks of a run see, wherever they are: memory that
// the runtime does not know of. By it a scenario counts what tasks did, and
// lets one task wait until another has come to a certain point, so that a race
// has the outcome that the scenario is about. Starts as zeros. All ranks are of
// one process tree, not of MPI.
struct Board {
  std::array<std::atomic<uint64_t>, 4096> word;
};
Board& board();

// Waits until a word of the board has reached `value`.
void await(int word, uint64_t value);

// Spawns, and counts in *moves where the caller continued on another rank.
template <typename F>
auto spawn_counting(uint64_t* moves, const F& f) {
  const int before = place();
  const auto task = spawn(f);
  *moves += place() != before;
  return task;
}

// Ends the job with exit status 1 or by a signal, after one line.
[[noreturn]] void broken(const char* what, uint64_t detail);

inline void check(bool ok, const char* what, uint64_t detail = 0) {
  if (!ok) [[unlikely]]
    broken(what, detail);
}

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_SCENARIO_H_
