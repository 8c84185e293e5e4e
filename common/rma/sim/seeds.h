// Running a program once for each seed of a range.

#ifndef MAGPIE_COMMON_RMA_SIM_SEEDS_H_
#define MAGPIE_COMMON_RMA_SIM_SEEDS_H_

#include "common/rma/sim/options.h"

namespace magpie::rma::sim {

// Runs this process's program anew for each seed in options.seeds, several at
// a time, each in a process of its own: a seed fails when its process does,
// for whatever reason. Prints the first that fails, with its output, and ends
// the process with status 1; with 0 when all went well.
[[noreturn]] void run_seeds(const Options& options);

// "3..10" to {3, 10}. False: not of that form, or empty.
bool parse_seeds(const std::string& text, uint64_t* first, uint64_t* last);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_SEEDS_H_
