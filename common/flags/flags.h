// The house's manners on the command line, over CLI11.
//
//   CLI::App app("Counts the nodes of a tree.");
//   uint64_t bytes = 1 << 20;
//   flags::add_bytes(app, "--buffer_bytes", bytes, "size of the buffer",
//                    4096, 1ull << 40);
//   flags::parse_or_exit(app, argc, argv);
//
// Bad input ends with exit status 2 and one line that names the flag, the value
// and what is allowed. `--help` prints the flags with their defaults and units,
// `--version` what the app has been told to say, and both end with 0.

#ifndef MAGPIE_COMMON_FLAGS_FLAGS_H_
#define MAGPIE_COMMON_FLAGS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace magpie::flags {

// Prints "magpie: message" to stderr and exits with status 2.
[[noreturn]] void die(std::string_view message);

// For what --help and its like print: once, however many processes a launcher
// started, and with status 0.
[[noreturn]] void print_and_exit(const std::string& text);

// Parses all of argv; does not return on bad input or --help.
void parse_or_exit(CLI::App& app, int argc, char** argv);

// Parses what `app` knows and returns the other arguments in their order, for
// the next layer. `more_help` is printed after app's own help: the flags_of
// that layer. What that does not name either is refused here, where both are
// known (where more_help is empty, nothing).
std::vector<std::string> parse_known_or_exit(CLI::App& app, int argc,
                                             char** argv,
                                             const std::string& more_help);

// Parses arguments that an outer layer left over.
void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments);

// The flags of `app` in their groups, as --help shows them.
std::string flags_of(const CLI::App& app);

// A size in bytes: "4096", "64K", "16M", "2G" (powers of 1024), rounded up to a
// multiple of `unit`. Refused outside [min, max].
CLI::Option* add_bytes(CLI::App& app, const std::string& name, uint64_t& value,
                       const std::string& description, uint64_t min,
                       uint64_t max, uint64_t unit = 1);

// Refuses what is no number in [min, max], and no integer where T is one.
template <typename T>
CLI::Validator number_in(T min, T max) {
  const std::string range = absl::StrCat(min, " to ", max);
  const auto check = [=](const std::string& text) {
    T n;
    bool valid;
    if constexpr (std::is_integral_v<T>) {
      valid = absl::SimpleAtoi(text, &n);
    } else {
      valid = absl::SimpleAtod(text, &n);
    }
    // Written so that it is false for NaN.
    if (valid && n >= min && n <= max) return std::string();
    return absl::StrCat(text, " is not ",
                        std::is_integral_v<T> ? "an integer" : "a number",
                        " from ", range);
  };
  return CLI::Validator(check, range);
}

// A number in [min, max].
template <typename T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value,
                        const std::string& description,
                        std::type_identity_t<T> min,
                        std::type_identity_t<T> max) {
  return app.add_option(name, value, description)
      ->type_name("N")
      ->capture_default_str()
      ->check(number_in(min, max));
}

template <typename T>
CLI::Option* add_integer(CLI::App& app, const std::string& name, T& value,
                         const std::string& description, T min = 0,
                         T max = std::numeric_limits<T>::max()) {
  static_assert(std::is_integral_v<T>);
  return add_number(app, name, value, description, min, max);
}

// Refuses what is none of `names`, which are constants.
CLI::Validator one_of(std::span<const char* const> names);

// One of `names`; value is its index, of whatever type.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value,
                        const std::string& description,
                        std::span<const char* const> names) {
  const auto choose = [names, &value](const std::string& text) {
    value = static_cast<T>(std::ranges::find(names, text) - names.begin());
  };
  return app.add_option_function<std::string>(name, choose, description)
      ->type_name("WHICH")
      ->default_str(names[static_cast<size_t>(value)])
      ->check(one_of(names));
}

}  // namespace magpie::flags

#endif  // MAGPIE_COMMON_FLAGS_FLAGS_H_
