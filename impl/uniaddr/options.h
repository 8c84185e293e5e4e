// The sizes and switches of uni-address threads, and their flags.

#ifndef MAGPIE_IMPL_UNIADDR_OPTIONS_H_
#define MAGPIE_IMPL_UNIADDR_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "common/flags/flags.h"

namespace magpie::uniaddr {

struct Options {
  uint64_t region_bytes = 16 << 20;
  uint64_t evacuation_bytes = 16 << 20;
  bool empty_check = true;
  bool forced_steal = false;
  uint64_t victim_seed = 1;

  // A continuation takes a saved context and at least two return addresses of
  // the region, so more than this many cannot lie in it one below the other.
  size_t queue_capacity() const { return region_bytes / kMinFrameBytes; }
  static constexpr size_t kMinFrameBytes = 80;

  // Of the symmetric heap: queue, evacuation memory, and a few words.
  size_t heap_bytes() const {
    return queue_capacity() * 16 + evacuation_bytes + 4096;
  }
};

inline void add_options(CLI::App& app, Options& options) {
  flags::add_bytes(
      app, "--region_bytes", options.region_bytes,
      "stack of running threads, on each rank: limits how deep tasks nest",
      64 << 10, 1ull << 36);
  flags::add_bytes(app, "--evacuation_bytes", options.evacuation_bytes,
                   "memory for the stacks of waiting threads, on each rank",
                   4 << 10, 1ull << 36);
  app.add_option("--empty_check", options.empty_check,
                 "look before locking a victim's queue")
      ->capture_default_str();
  app.add_flag("--forced_steal", options.forced_steal,
               "let the parent be stolen at every spawn where a thief can be "
               "had (for tests)");
  app.add_option("--victim_seed", options.victim_seed,
                 "of the choice of victims")
      ->capture_default_str();
}

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_OPTIONS_H_
