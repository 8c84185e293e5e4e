// The flags of every program, whichever runtime and network it was linked with:
// --help, --version, --stats, and the flags of a trace.

#ifndef MAGPIE_COMMON_RUN_COMMAND_LINE_H_
#define MAGPIE_COMMON_RUN_COMMAND_LINE_H_

#include <functional>
#include <string>
#include <vector>

#include "common/flags/flags.h"
#include "common/run/report.h"
#include "common/trace/options.h"

namespace magpie {

// Makes 1 the default of --ranks, whatever the network's default is, and
// refuses more in words, also where a launcher has started more: `who` takes
// one rank. To be called after the network's flags were added.
void take_one_rank(CLI::App& app, const std::string& who);

namespace internal {

inline constexpr char kVersion[] = "0.8.0";

// Adds the flags of a runtime to an app.
using AddFlags = std::function<void(CLI::App& app)>;

struct CommonOptions {
  // How the report is to be printed: empty (not at all), "line" or "json".
  std::string stats;
  trace::Options tracing;
};

// Parses the flags of all layers; ends the process where they are wrong, or
// with --help.
CommonOptions parse_all_flags(const std::string& runtime,
                              const AddFlags& add_flags,
                              const std::vector<std::string>& arguments);

// The flags of all layers, as text for --help, without --help itself.
std::string help_on_all_flags(const std::string& runtime,
                              const AddFlags& add_flags);

// Prints the report on standard error: standard output is the program's own.
void print_stats(const std::string& stats, const RunReport& report);

}  // namespace internal
}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_COMMAND_LINE_H_
