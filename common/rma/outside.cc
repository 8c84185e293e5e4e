#include "common/rma/outside.h"

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"
#include "common/rma/addresses.h"

namespace magpie::rma {
namespace internal {

Self nobody = {.rank = -1,
               .region = reinterpret_cast<std::byte*>(kNobodysAddress),
               .heap_origin = reinterpret_cast<std::byte*>(kNobodysAddress),
               .counters = {},
               .task_stacks = {}};

void require_run(const char* function) {
  if (!is_outside_run()) return;
  fatal(
      absl::StrCat(function, " was called outside a run: there are no ranks"));
}

void require_collective(const char* function) {
  require_run(function);
  if (self().refuses_collectives != nullptr)
    fatal(absl::StrCat(function, " was called ", self().refuses_collectives));
}

void refuse_nested_run() {
  if (is_outside_run()) return;
  fatal(
      "a run was started within a run: runs do not nest, one after the other "
      "is fine");
}

void refuse_launcher() {
  const flags::Launched launched = flags::launched();
  if (launched.processes <= 1) return;
  flags::die(absl::StrCat(
      "a launcher started ", launched.processes, " processes (",
      launched.variable,
      "), each of which would run the whole job: this program is "
      "linked with //common/rma:",
      kBackend.name,
      ", which starts its ranks itself (--ranks). Start it without the "
      "launcher, or link //common/rma:mpi; if each is to be a job by itself: ",
      flags::kLauncherVariable, "=", flags::kNoLauncher));
}

void require_bytes(const void* arg, size_t arg_bytes, int ranks) {
  if (arg == nullptr || arg_bytes > 0 || ranks == 1) return;
  fatal(
      "rma::launch: after the first run of a process, other ranks get the "
      "argument by its bytes: arg_bytes must not be 0");
}

[[gnu::section("magpie_own")]] RankStatus unwatched;

}  // namespace internal

SizeIsKnown::SizeIsKnown() { internal::nobody.size = ranks_to_launch(); }
SizeIsKnown::~SizeIsKnown() { internal::nobody.size = 0; }

namespace backend {
[[gnu::section("magpie_own")]] Self* current = &internal::nobody;
}

}  // namespace magpie::rma

namespace magpie::internal {

void check_failed(const char* words, const char* file, int line) {
  rma::fatal(absl::StrCat("broken rule: ", words, " (", file, ":", line, ")"));
}

}  // namespace magpie::internal
