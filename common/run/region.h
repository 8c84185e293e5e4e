// The flag that sizes a region, for runtimes whose tasks run there.

#ifndef MAGPIE_COMMON_RUN_REGION_H_
#define MAGPIE_COMMON_RUN_REGION_H_

#include <cstdint>

#include "common/flags/flags.h"

namespace magpie {

inline constexpr uint64_t kDefaultRegionBytes = 16 << 20;

// What a rma::SegmentLayout says of a region that is exhausted.
inline constexpr char kRegionOverflow[] =
    "the region is exhausted: tasks nest too deeply; raise --region_bytes";

// Adds --region_bytes, which is rounded up to 64 KiB, on all networks alike: to
// a page, as large as there are any.
inline void add_region_bytes(CLI::App& app, uint64_t& bytes) {
  flags::add_bytes(
      app, "--region_bytes", bytes,
      "stack of running tasks, on each rank: limits how deep they nest",
      64 << 10, 1ull << 36, 64 << 10);
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_REGION_H_
