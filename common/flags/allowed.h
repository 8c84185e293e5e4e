// Validators for CLI11, which say in words what an option's value has to be.

#ifndef MAGPIE_COMMON_FLAGS_ALLOWED_H_
#define MAGPIE_COMMON_FLAGS_ALLOWED_H_

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace magpie::flags {

// Refuses what is no number in [min, max], or no integer where T is an integer
// type.
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

// Refuses what is none of `names`, which are constants.
CLI::Validator one_of(std::span<const char* const> names);

}  // namespace magpie::flags

#endif  // MAGPIE_COMMON_FLAGS_ALLOWED_H_
