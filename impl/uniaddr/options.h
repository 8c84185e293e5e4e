// The sizes and switches of uni-address threads, and their flags.

#ifndef MAGPIE_IMPL_UNIADDR_OPTIONS_H_
#define MAGPIE_IMPL_UNIADDR_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "common/flags/flags.h"
#include "common/remote_heap/remote_heap.h"
#include "common/run/region.h"
#include "common/stealing/queue_flags.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"

namespace magpie::uniaddr {

struct Options {
  uint64_t region_bytes = kDefaultRegionBytes;
  uint64_t evacuation_bytes = 16 << 20;
  bool empty_check = true;
  SearchOptions search;

  // A continuation takes a saved context and at least two return addresses of
  // the region, so more than this many cannot lie in it one below the other.
  static constexpr size_t kMinFrameBytes = 80;
  QueueOptions queue() const {
    return {.capacity = region_bytes / kMinFrameBytes,
            .empty_check = empty_check};
  }
  HeapOptions evacuation() const {
    return {.bytes = evacuation_bytes,
            .what = "the evacuation memory",
            .flag = "--evacuation_bytes"};
  }
};

inline void add_options(CLI::App& app, Options& options) {
  add_region_bytes(app, options.region_bytes);
  flags::add_bytes(app, "--evacuation_bytes", options.evacuation_bytes,
                   "memory for the stacks of waiting threads, on each rank",
                   4 << 10, 1ull << 36);
  add_empty_check(app, options.empty_check);
  magpie::add_options(app, options.search);
}

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_OPTIONS_H_
