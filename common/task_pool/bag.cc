#include "common/task_pool/bag.h"

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/stealing/search.h"

namespace magpie {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 36;

}  // namespace

void add_options(CLI::App& app, PoolOptions& options) {
  flags::add_bytes(app, "--static_bytes", options.static_bytes,
                   "memory for the data of static_init, on each rank", 1,
                   kMostBytes);
  magpie::add_options(app, options.on_address);
}

void add_options(CLI::App& app, BagOptions& options,
                 uint64_t most_queue_bytes) {
  flags::add_bytes(
      app, "--queue_bytes", options.queue_bytes,
      "memory for tasks that have not started, on each rank; their number is "
      "rounded down to a power of two; as many more wait outside of it, and "
      "further ones are run at once",
      1 << 10, most_queue_bytes);
  flags::add_bytes(app, "--inbox_bytes", options.inbox_bytes,
                   "memory for tasks that other ranks have added, on each "
                   "rank; when it is full they wait until the rank has looked",
                   1, kMostBytes);
  add_empty_check(app, options.empty_check);
  magpie::add_options(app, options.search);
  magpie::add_options(app, static_cast<PoolOptions&>(options));
}

void bag_too_small() {
  rma::fatal(absl::StrCat(
      "a bag is full, and tasks that are run at once nest by more than ",
      kMostNestedBytes, " bytes of stack: raise --queue_bytes"));
}

}  // namespace magpie
