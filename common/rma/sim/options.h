// The simulator's flags, and what the process knows of the simulation that runs
// in it.

#ifndef MAGPIE_COMMON_RMA_SIM_OPTIONS_H_
#define MAGPIE_COMMON_RMA_SIM_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "common/rma/sim/exploration/store_buffer.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace CLI {
class App;
}

namespace magpie::rma::sim {

struct Options {
  int ranks = 0;
  Network net;
  uint64_t stack_bytes = 256 << 10;
  // Virtual seconds; 0: default_patience.
  double patience = 0;
  bool stats = false;
  // Real seconds before a terminal shows how far the run is.
  double progress = 3;

  bool explore = false;
  uint64_t seed = 1;
  // "A..B", or empty.
  std::string seeds;
  // Seeds that run at a time; 0: as many as there are cores.
  int jobs = 0;
  int seconds_per_seed = 60;
  // A file for what the seeds' runs print; empty: none.
  std::string seeds_output;
  MemoryModel memory = MemoryModel::kSc;
  // A file; "-": standard error; empty: no log.
  std::string log;
};

// Virtual time in which ranks may only poll. It is less for many ranks, since
// they take long, in real time, to poll through it.
constexpr Time default_patience(int ranks) {
  return std::clamp(64 * kSecond / static_cast<Time>(ranks), 10 * kMillisecond,
                    kSecond);
}

void add_options(CLI::App& app, Options* options);

// Sets the defaults of what no flag has set.
void set_defaults(Options* options);

// Ends the process with status 2 where flags contradict each other.
void check(const Options& options);

// Process-wide: a backend is the one place where that is allowed.
extern Options options;

// The engine of the run. Outside a run it points to where nothing is mapped, as
// internal::nobody does: what needs an engine ends with an error there, at no
// cost in a run.
class Engine;
extern Engine* engine;

// -------------------------------------------------------------------- seeds.cc

// Both ends belong to the range.
struct SeedRange {
  uint64_t first;
  uint64_t last;
};

// Parses "3..10". Returns nothing where the text has another form, or the range
// is empty.
std::optional<SeedRange> parse_seeds(const std::string& text);

// Returns once for each of options->seeds, `jobs` at a time, in a process of
// its own with that seed, and again there. A seed fails when its process does,
// or has not ended after `seconds_per_seed`. Prints the first seed that fails,
// with its output, and ends the process that was called with status 1; with 0
// when none fails. After `progress` seconds a terminal shows how many have run.
// The file `seeds_output`, if not empty, gets what runs that succeed print;
// ends the process with status 2 where it cannot be written.
void run_seeds(Options* options);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_OPTIONS_H_
