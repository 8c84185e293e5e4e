#include "common/flags/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace magpie::flags {
namespace {

// Parses "16M" into bytes. Returns false when the text is no size or does not
// fit.
bool parse_size(const std::string& text, uint64_t* bytes) {
  std::string number = text;
  int shift = 0;
  if (!number.empty()) {
    const size_t unit =
        std::string_view("KMGT").find(absl::ascii_toupper(number.back()));
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      number.pop_back();
    }
  }
  uint64_t n;
  if (!absl::SimpleAtoi(number, &n) || (n << shift) >> shift != n) return false;
  *bytes = n << shift;
  return true;
}

// Refuses what is no number in [min, max], or no integer where T is an integer
// type. CLI11, which reads the text next, would take 010 for 8.
template <typename T>
CLI::Validator number_in(T min, T max) {
  const std::string range = absl::StrCat(min, " to ", max);
  const auto check = [=](std::string& text) {
    T n;
    bool valid;
    if constexpr (std::is_integral_v<T>) {
      valid = absl::SimpleAtoi(text, &n);
      if (valid) text = absl::StrCat(n);
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

// Refuses what is none of `names`.
CLI::Validator one_of(std::span<const char* const> names) {
  const std::string all = absl::StrJoin(names, ", ");
  return CLI::Validator(
      [all, names](const std::string& text) {
        return std::ranges::count(names, text) > 0
                   ? std::string()
                   : absl::StrCat(text, " is not one of ", all);
      },
      all);
}

}  // namespace

App::App(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {}

App::~App() = default;

void App::remove_help() { app_->set_help_flag(); }

void refuse(const std::string& flag, const std::string& why) {
  throw CLI::ValidationError(flag, why);
}

std::string in_units(uint64_t bytes) {
  size_t unit = 0;
  for (; unit < 4 && bytes > 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return absl::StrCat(bytes, unit == 0 ? "" : std::string(1, "KMGT"[unit - 1]));
}

CLI::Option* add_bytes(CLI::App& app, const std::string& name, uint64_t& value,
                       const std::string& description, uint64_t min,
                       uint64_t max, uint64_t unit) {
  const std::string range = absl::StrCat(in_units(min), " to ", in_units(max));
  const auto check = [=](const std::string& text) -> std::string {
    uint64_t bytes;
    if (parse_size(text, &bytes) && bytes >= min && bytes <= max) return {};
    return absl::StrCat(text, " is not a size from ", range,
                        " (bytes, or a number with K, M, G or T behind it)");
  };
  const auto set = [&value, unit](const std::string& text) {
    uint64_t bytes = 0;
    parse_size(text, &bytes);
    value = (bytes + unit - 1) / unit * unit;
  };
  return app.add_option_function<std::string>(name, set, description)
      ->type_name("BYTES")
      ->check(CLI::Validator(check, range))
      ->default_str(in_units(value));
}

template <typename T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value,
                        const std::string& description,
                        std::type_identity_t<T> min,
                        std::type_identity_t<T> max) {
  return app.add_option(name, value, description)
      ->type_name("N")
      ->capture_default_str()
      ->transform(number_in(min, max));
}

#define MAGPIE_ADD_NUMBER(T)                                 \
  template CLI::Option* add_number(                          \
      CLI::App&, const std::string&, T&, const std::string&, \
      std::type_identity_t<T>, std::type_identity_t<T>)
MAGPIE_ADD_NUMBER(int);
MAGPIE_ADD_NUMBER(unsigned);
MAGPIE_ADD_NUMBER(long);
MAGPIE_ADD_NUMBER(unsigned long);
MAGPIE_ADD_NUMBER(double);
#undef MAGPIE_ADD_NUMBER

CLI::Option* add_choice(CLI::App& app, const std::string& name,
                        std::function<void(size_t)> choose, size_t chosen,
                        const std::string& description,
                        std::span<const char* const> names) {
  const auto choose_name = [=](const std::string& text) {
    choose(static_cast<size_t>(std::ranges::find(names, text) - names.begin()));
  };
  return app.add_option_function<std::string>(name, choose_name, description)
      ->type_name("WHICH")
      ->default_str(names[chosen])
      ->check(one_of(names));
}

void add_switch(CLI::App& app, const std::string& name, bool& value,
                const std::string& description) {
  app.add_flag(name, value, description);
}

void add_text(CLI::App& app, const std::string& name, std::string& value,
              const std::string& description, const std::string& kind,
              const std::string& otherwise) {
  app.add_option(name, value, description)
      ->type_name(kind)
      ->default_str(otherwise)
      ->check([](const std::string& text) {
        return text.starts_with("--")
                   ? absl::StrCat(text, " is a flag; allowed: a text")
                   : std::string();
      });
}

void add_read(CLI::App& app, const std::string& name,
              std::function<void(const std::string&)> read,
              const std::string& description, const std::string& kind,
              const std::string& otherwise) {
  app.add_option_function<std::string>(name, read, description)
      ->type_name(kind)
      ->default_str(otherwise);
}

void add_optional(CLI::App& app, const std::string& name, std::string& value,
                  const std::string& implied, const std::string& description,
                  const std::string& kind, const std::string& otherwise,
                  std::span<const char* const> names) {
  CLI::Option* const option =
      app.add_flag(absl::StrCat(name, "{", implied, "}"), value, description)
          ->type_name(kind)
          ->default_str(otherwise);
  if (!names.empty()) option->check(one_of(names));
}

CLI::Option* add_seconds(CLI::App& app, const std::string& name, double& value,
                         const std::string& description, double min) {
  return add_number(app, name, value, description, min, 1e6)
      ->type_name("SECONDS");
}

void describe_default(CLI::Option* option, const std::string& words) {
  option->default_str(words);
}

void check_all(CLI::App& app, std::function<std::string()> wrong) {
  app.parse_complete_callback([wrong = std::move(wrong)] {
    // An empty name: the text begins with the flag, as CLI11's own errors do.
    if (const std::string error = wrong(); !error.empty())
      throw CLI::ValidationError(error, CLI::ExitCodes::ValidationError);
  });
}

void allow_only(CLI::App& app, const std::string& flag, int value,
                const std::string& who) {
  app.get_option(flag)->default_val(value)->check(
      [=](const std::string& given) {
        return given == absl::StrCat(value)
                   ? std::string()
                   : absl::StrCat(given, " is not ", value, ", all that ", who,
                                  " takes");
      });
}

void exclude(CLI::App& app, const std::string& flag,
             std::initializer_list<const char*> others) {
  if (CLI::Option* const option = app.get_option_no_throw(flag))
    for (const char* other : others) option->excludes(app.get_option(other));
}

void add_version(CLI::App& app, const std::string& version) {
  if (app.get_help_ptr() != nullptr)
    app.set_help_flag("-h,--help", "print this and exit");
  app.set_version_flag(
      "--version", version,
      "print the version, the runtime and the network, and exit");
}

std::string begin_group(CLI::App& app, const std::string& name) {
  const std::string before = app.option_defaults()->get_group();
  app.option_defaults()->group(name);
  return before;
}

}  // namespace magpie::flags
