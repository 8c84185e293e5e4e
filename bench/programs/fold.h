// Folded leaves: on a simulated network a program may run the lower levels of
// its recursion as one leaf, which takes what their tasks would, but for looks
// at words of the rank's own, about 0.8 ns a task. Nobody steals from inside a
// leaf.

#ifndef MAGPIE_BENCH_PROGRAMS_FOLD_H_
#define MAGPIE_BENCH_PROGRAMS_FOLD_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/program.h"
#include "common/flags/flags.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"

namespace magpie::bench {

inline void add_fold(CLI::App& app, int& levels) {
  flags::add_integer<int>(app, "--fold", levels,
                          "simulated networks: number of lowest levels that "
                          "are one leaf, charged what their tasks take",
                          0, 60);
}

// Ends the process where levels are folded that could not be charged for.
inline void check_fold(int levels) {
  // Of a child stealer's fork a queue and a stack are charged for, too.
  const bool knows_costs = seam::traits().migrates;
  if (levels > 0 && !(rma::is_simulated() && knows_costs)) {
    flags::die(absl::StrCat("--fold: ", levels, " with ", kRuntime.name, " on ",
                            rma::kBackend.name,
                            "; allowed: 0, and more on sim where "
                            "continuations are stolen"));
  }
}

// Counts of leaves, for leaves of different sizes to be drawn from: all ranks',
// of one process.
template <typename Count>
std::vector<Count>& folded_sample() {
  static auto* const kSample = new std::vector<Count>;
  return *kSample;
}

// Takes the time of so many forks, each with its join, and nodes.
inline void charge_folded(uint64_t forks, uint64_t nodes) {
  const std::array<rma::Work, 3> all = {
      {{cost::kSpawn, forks}, {cost::kJoin, forks}, {kNode, nodes}}};
  rma::charge_and_poll(all, forks);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_FOLD_H_
