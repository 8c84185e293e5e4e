// The flag for a region's size, for runtimes whose tasks run there.

#ifndef MAGPIE_COMMON_RUN_REGION_H_
#define MAGPIE_COMMON_RUN_REGION_H_

#include <cstdint>

#include "common/flags/flags.h"

namespace magpie {

inline constexpr uint64_t kDefaultRegionBytes = 16 << 20;

// SegmentLayout::region_overflow: the words for an exhausted region.
inline constexpr char kRegionOverflow[] =
    "the region is exhausted: tasks nest too deeply; raise --region_bytes";

// Unit to which --region_bytes is rounded up on all networks: the largest page
// that there is.
inline constexpr uint64_t kRegionUnit = 64 << 10;

// Adds --region_bytes.
inline void add_region_bytes(CLI::App& app, uint64_t& bytes) {
  flags::add_bytes(
      app, "--region_bytes", bytes,
      "stack of running tasks, on each rank; it limits how deep they nest",
      kRegionUnit, uint64_t{1} << 36, kRegionUnit);
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_REGION_H_
