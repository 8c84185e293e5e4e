// The text that --help prints.

#ifndef MAGPIE_COMMON_FLAGS_HELP_H_
#define MAGPIE_COMMON_FLAGS_HELP_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace magpie::flags::internal {

// Description, usage, and all flags of `app` in their groups, within 80
// columns:
//
//   --ranks=N               number of ranks: processes on this machine
//                           (1 to 4096; default: 2)
std::string help_of(const CLI::App& app);

// The same without description and usage: only the flags.
std::string flags_of(const CLI::App& app);

// The names in a text that flags_of has made.
std::vector<std::string> flags_in(absl::string_view help);

// An option's allowed values: "1 to 4096"; the kind of value, "INT", where no
// more is known.
std::string allowed_values(const CLI::Option& option);

}  // namespace magpie::flags::internal

#endif  // MAGPIE_COMMON_FLAGS_HELP_H_
