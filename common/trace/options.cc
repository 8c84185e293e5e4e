#include "common/trace/options.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"
#include "common/rma/events.h"
#include "common/trace/event.h"

namespace magpie::trace {
namespace {

void require_file(const char* flag, const std::string& name) {
  if (name.empty()) return;
  std::FILE* const file = std::fopen(name.c_str(), "w");
  if (file == nullptr)
    flags::die(absl::StrCat(flag, "=", name, ": ", std::strerror(errno),
                            "; a file that can be written is allowed"));
  std::fclose(file);
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  rma::name_events(kEventNames);
  flags::add_text(app, "--trace", options.trace,
                  "write what each rank did, and when, to this file, as Chrome "
                  "trace JSON, which Perfetto opens")
      ->type_name("FILE")
      ->default_str("none");
  flags::add_integer(
      app, "--trace_events", options.events,
      "largest number of events of each rank in the trace, the last ones; each "
      "takes 32 bytes of memory, some 100 of the file",
      uint64_t{1}, uint64_t{1} << 32);
  flags::add_text(app, "--timeline", options.timeline,
                  "write to this file, as CSV, how many ranks were busy and "
                  "how many outstanding joins were ready, over time")
      ->type_name("FILE")
      ->default_str("none");
  flags::add_integer(app, "--timeline_bins", options.bins,
                     "largest number of stretches of time in the timeline; it "
                     "has at least half as many",
                     uint64_t{2}, uint64_t{1} << 20);
}

// Where a launcher has started several processes, the first is rank 0.
void require_files(const Options& options) {
  if (flags::launched().index != 0) return;
  require_file("--trace", options.trace);
  require_file("--timeline", options.timeline);
}

Sizes sizes_of(const Options& options) {
  return {.events = options.trace.empty() ? 0 : options.events,
          .bins = options.timeline.empty() ? 0 : options.bins};
}

}  // namespace magpie::trace
