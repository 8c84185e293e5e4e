#include "common/task_pool/bag.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/stealing/search.h"

namespace magpie {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 36;

void add_queue_bytes(CLI::App& app, uint64_t& bytes, const QueueLimit& limit) {
  const bool is_limited = limit.most_tasks < kMostBytes / limit.slot_bytes;
  const std::string how_many =
      is_limited ? absl::StrCat(", at most ", limit.most_tasks) : "";
  flags::add_bytes(
      app, "--queue_bytes", bytes,
      absl::StrCat("memory for tasks that have not started, on each rank; "
                   "their number is rounded down to a power of two",
                   how_many,
                   "; as many more wait outside of it, and further ones are "
                   "run at once"),
      1 << 10, is_limited ? limit.most_tasks * limit.slot_bytes : kMostBytes);
}

}  // namespace

void add_options(CLI::App& app, PoolOptions& options) {
  flags::add_bytes(app, "--static_bytes", options.static_bytes,
                   "memory for the data of static_init, on each rank", 1,
                   kMostBytes);
  magpie::add_options(app, options.on_address);
}

void add_options(CLI::App& app, BagOptions& options, const QueueLimit& limit) {
  add_queue_bytes(app, options.queue_bytes, limit);
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
      Nesting::kMostBytes, " bytes of stack: raise --queue_bytes"));
}

}  // namespace magpie
