// What every program's command line understands, whichever runtime and network
// it was linked with: --help, --version and --stats.

#ifndef MAGPIE_COMMON_RUN_COMMAND_LINE_H_
#define MAGPIE_COMMON_RUN_COMMAND_LINE_H_

#include <string>

#include "common/flags/flags.h"
#include "common/run/report.h"

namespace magpie::internal {

inline constexpr char kVersion[] = "0.8.0";

// "cont_greedy runtime, shm network".
std::string linked_parts(const std::string& runtime);

// --version and --stats. *stats becomes how the report is to be printed: empty
// (not at all), "line" or "json".
void add_common_flags(CLI::App& app, const std::string& runtime,
                      std::string* stats);

// On standard error: standard output is the program's own.
void print_stats(const std::string& stats, const RunReport& report);

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_COMMAND_LINE_H_
