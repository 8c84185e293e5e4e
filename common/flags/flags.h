// The house's manners on the command line, over CLI11.
//
//   CLI::App app("Counts the nodes of a tree.");
//   uint64_t bytes = 1 << 20;
//   flags::add_bytes(app, "--buffer_bytes", bytes, "size of the buffer",
//                    4096, 1ull << 40);
//   flags::parse_or_exit(app, argc, argv);
//
// Bad input ends with exit status 2 and one line that names the flag, the value
// and what is allowed. `--help` prints the options and ends with 0.

#ifndef MAGPIE_COMMON_FLAGS_FLAGS_H_
#define MAGPIE_COMMON_FLAGS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magpie::flags {

// Prints "magpie: message" to stderr and exits with status 2.
[[noreturn]] void die(std::string_view message);

// Parses all of argv; does not return on bad input or --help.
void parse_or_exit(CLI::App& app, int argc, char** argv);

// Parses what `app` knows and returns the other arguments in their order, for
// the next layer. `more_help` is printed after app's own help.
std::vector<std::string> parse_known_or_exit(CLI::App& app, int argc,
                                             char** argv,
                                             const std::string& more_help);

// Parses arguments that an outer layer left over.
void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments);

// A size in bytes: "4096", "64K", "16M", "2G" (powers of 1024). Refused outside
// [min, max].
CLI::Option* add_bytes(CLI::App& app, const std::string& name, uint64_t& value,
                       const std::string& description, uint64_t min,
                       uint64_t max);

// An integer in [min, max].
template <typename T>
CLI::Option* add_integer(CLI::App& app, const std::string& name, T& value,
                         const std::string& description, T min, T max) {
  return app.add_option(name, value, description)
      ->capture_default_str()
      ->check(CLI::Range(min, max));
}

}  // namespace magpie::flags

#endif  // MAGPIE_COMMON_FLAGS_FLAGS_H_
