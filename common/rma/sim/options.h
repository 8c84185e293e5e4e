// The simulator's flags.

#ifndef MAGPIE_COMMON_RMA_SIM_OPTIONS_H_
#define MAGPIE_COMMON_RMA_SIM_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/rma/sim/network.h"
#include "common/rma/sim/time.h"

namespace CLI {
class App;
}

namespace magpie::rma::sim {

// When other ranks see what a rank stores in its own words.
//   sc:  at once
//   tso: later, in the order of the stores (x86-64)
//   pso: later; relaxed stores to different words in any order (AArch64)
enum class MemoryModel : uint8_t { kSc, kTso, kPso };

struct Options {
  int ranks = 0;
  Network net;
  uint64_t stack_bytes = 256 << 10;
  Time patience = 0;  // 0: default_patience
  bool stats = false;

  bool explore = false;
  uint64_t seed = 1;
  std::string seeds;  // "A..B", or empty
  int jobs = 0;       // 0: as many as there are cores
  int seconds_per_seed = 60;
  MemoryModel memory = MemoryModel::kSc;
  std::string log;  // a file, "-": standard error, empty: none
};

// Many ranks poll a lot, in real time, before so much virtual time is over.
constexpr Time default_patience(int ranks) {
  return std::clamp(64 * kSecond / static_cast<Time>(ranks), 10 * kMillisecond,
                    kSecond);
}

void add_options(CLI::App& app, Options* options);

// For what no flag has set.
void set_defaults(Options* options);

// Ends the process with status 2 where flags contradict each other.
void check(const Options& options);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_OPTIONS_H_
