#include "common/run/command_line.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"
#include "common/rma/rma.h"
#include "common/run/describe.h"

namespace magpie {

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

// Adds --version, --stats, and the flags of a trace.
void add_common_flags(CLI::App& app, const std::string& runtime,
                      CommonOptions* options) {
  static constexpr std::array kFormats = {"line", "json"};
  flags::add_version(
      app, absl::StrCat("magpie ", kVersion, " (", linked_parts(runtime), ")"));
  flags::add_optional(
      app, "--stats", options->stats, "line",
      "print each run's report to standard error, in one line or as one JSON "
      "object",
      "FORMAT", "line", kFormats);
  trace::add_options(app, options->tracing);
}

void add_all_flags(CLI::App& app, const std::string& runtime,
                   const AddFlags& add_flags, CommonOptions* options) {
  flags::begin_group(app, "Every program");
  add_common_flags(app, runtime, options);
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

void print_stats(const std::string& stats, const RunReport& report) {
  if (stats.empty()) return;
  std::fflush(stdout);
  Json described = describe(report);
  if (stats == "json") {
    std::fprintf(stderr, "%s\n", described.dump().c_str());
    return;
  }
  const Json metrics = described["metrics"];
  described.erase("metrics");
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "magpie: stats: %s\n%s", in_line(described).c_str(),
                 in_rows(metrics).c_str());
    return;
  }
  described.update(metrics);
  std::fprintf(stderr, "magpie: stats: %s\n", in_line(described).c_str());
}

}  // namespace internal
}  // namespace magpie
