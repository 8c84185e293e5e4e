#include "common/run/run.h"

#include <array>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/launcher.h"

namespace magpie {
void check_balance(const Balance& mine, Facade facade) {
  uint64_t totals[] = {mine.spawned, mine.ended, mine.unclaimed, mine.waiting};
  rma::reduce(totals, std::size(totals), rma::Reduction::kSum);
  const Balance all = {totals[0], totals[1], totals[2], totals[3]};
  if (all.spawned == all.ended && all.unclaimed == 0 && all.waiting == 0)
    return;
  if (rma::rank() != 0) return rma::barrier();  // rank 0 ends the job
  if (facade == Facade::kPool)
    rma::fatal(absl::StrCat(
        "at the end of the run ", all.spawned, " tasks were added and ",
        all.ended,
        " were run: a pool runs each once, and ends when no task is left on "
        "any rank"));
  // The futures are the program's.
  rma::fatal(absl::StrCat(
      "at the end of the run ", all.spawned, " tasks were spawned, ", all.ended,
      " ended, ", all.unclaimed, " were neither joined nor discarded, ",
      all.waiting,
      " still wait; each future is to be joined or discarded once"));
}

void take_one_rank(CLI::App& app, const std::string& who) {
  flags::allow_only(app, "--ranks", 1, who);
  // Networks know how many ranks were started, not how many `who` takes.
  flags::check_all(app, [who] {
    const flags::Launched launched = flags::launched();
    return launched.processes <= 1
               ? ""
               : absl::StrCat(who, " takes one rank, and the launcher started ",
                              launched.processes, " (", launched.variable,
                              "): start it without a launcher, or have that "
                              "start one (mpirun -n 1)");
  });
}

namespace internal {
namespace {

// Returns "cont_greedy runtime, shm network".
std::string linked_parts(const std::string& runtime) {
  return absl::StrCat(runtime, " runtime, ", rma::kBackend.name, " network");
}

void add_all_flags(CLI::App& app, const std::string& runtime,
                   const AddFlags& add_flags, CommonOptions* options) {
  static constexpr std::array kFormats = {"line", "json"};
  flags::begin_group(app, "Every program");
  flags::add_version(
      app, absl::StrCat("magpie ", kVersion, " (", linked_parts(runtime), ")"));
  flags::add_optional(
      app, "--stats", options->stats, "line",
      "print each run's report to standard error, in one line or as one JSON "
      "object",
      "FORMAT", "line", kFormats);
  trace::add_options(app, options->tracing);
  flags::begin_group(app, std::string(rma::kBackend.name) + " network");
  rma::add_options(app);
  flags::begin_group(app, runtime + " runtime");
  add_flags(app);
  // Each seed would write the same file.
  flags::exclude(app, "--seeds", {"--trace", "--timeline"});
}

}  // namespace

CommonOptions parse_all_flags(const std::string& runtime,
                              const AddFlags& add_flags,
                              const std::vector<std::string>& arguments) {
  CommonOptions options;
  flags::App app("Linked with " + linked_parts(runtime) + ".");
  add_all_flags(app, runtime, add_flags, &options);
  flags::parse_rest_or_exit(app, arguments);
  return options;
}

std::string help_on_all_flags(const std::string& runtime,
                              const AddFlags& add_flags) {
  flags::App app;
  app.remove_help();  // --help is the program's, and shows these too
  CommonOptions options;
  add_all_flags(app, runtime, add_flags, &options);
  return flags::flags_of(app);
}

const char* mistaken_call(Facade facade) {
  return facade == Facade::kPool
             ? "this is a run of run_pool(): add, merge and pool_root are for "
               "the root and for tasks, and prepare() runs before them; spawn, "
               "join and root_task are for tasks of run()"
             : "this is a run of run(): spawn, join and root_task are for "
               "tasks, and prepare() runs before them; add, merge and "
               "pool_root are for tasks of run_pool()";
}

OwnCounts traced_counts(const SchedulerStats& stats, const Balance& balance,
                        uint64_t region_bytes_max, const OwnCounts& own) {
  OwnCounts counts = {{"spawns", stats.spawns},
                      {"deaths", stats.deaths},
                      {"unclaimed", balance.unclaimed},
                      {"waiting", balance.waiting},
                      {"steals_ok", stats.steals_ok},
                      {"steals_failed", stats.steals_failed},
                      {"outstanding_joins", stats.outstanding_joins},
                      {"region_bytes_max", region_bytes_max}};
  counts.insert(counts.end(), own.begin(), own.end());
  return counts;
}

}  // namespace internal
}  // namespace magpie
