// Runs a program once for each seed of a range.
//
// Thread safety: one thread, before it has started any simulation.

#ifndef MAGPIE_COMMON_RMA_SIM_SEEDS_H_
#define MAGPIE_COMMON_RMA_SIM_SEEDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "common/rma/sim/options.h"

namespace magpie::rma::sim {

// Both ends belong to the range.
struct SeedRange {
  uint64_t first;
  uint64_t last;
};

// Parses "3..10". Returns nothing where the text has another form, or the range
// is empty.
std::optional<SeedRange> parse_seeds(const std::string& text);

// Runs this process's program anew for each of options.seeds, `jobs` at a time,
// each in a process of its own: a seed fails when its process does, for
// whatever reason, or has not ended after `seconds_per_seed`. Prints the first
// seed that fails, with its output, and ends the process with status 1; with 0
// when none fails. After `progress` real seconds a terminal shows how many have
// run. The file `seeds_output`, if not empty, gets what each run that succeeds
// prints to standard output; ends the process with status 2 where it cannot be
// written.
[[noreturn]] void run_seeds(const Options& options);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_SEEDS_H_
