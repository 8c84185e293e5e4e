#include "common/task_pool/bag_options.h"

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/stealing/queue_flags.h"

namespace magpie {

void add_options(CLI::App& app, BagOptions& options) {
  flags::add_bytes(app, "--queue_bytes", options.queue_bytes,
                   "memory for tasks that have not started, on each rank, "
                   "rounded down to a power of two of them; as many more wait "
                   "outside of it, and beyond that they are run at once",
                   1 << 10, 1ull << 36);
  flags::add_bytes(app, "--inbox_bytes", options.inbox_bytes,
                   "memory for tasks that other ranks have added here, on each "
                   "rank; beyond it they wait until it has looked",
                   1, 1ull << 36);
  add_empty_check(app, options.empty_check);
  magpie::add_options(app, options.search);
  magpie::add_options(app, options.on_address);
}

void require_capacity(const BagOptions& options, size_t slot_bytes,
                      uint64_t max_capacity) {
  const uint64_t most = max_capacity * slot_bytes;
  if (std::bit_floor(options.queue_bytes / slot_bytes) <= max_capacity) return;
  flags::die(absl::StrCat("--queue_bytes=", options.queue_bytes, ": at most ",
                          2 * most - 1, ", since a stealval tells ",
                          max_capacity, " tasks of this program apart"));
}

void bag_too_small() {
  rma::fatal(absl::StrCat(
      "a bag is full, and tasks that are run at once nest by more than ",
      kMostNested, " bytes of stack: raise --queue_bytes"));
}

}  // namespace magpie
