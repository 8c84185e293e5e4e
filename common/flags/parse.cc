// Parses a command line, and prints help and errors.

#include <errno.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"

namespace magpie::flags {
namespace {

// ------------------------------------------------------------------------ help

constexpr size_t kColumn = 26;
constexpr size_t kWidth = 80;

// The name of a flag's value, and the allowed values: CLI11 puts a colon
// between them.
std::pair<std::string, std::string> value_of(const CLI::Option& option) {
  return absl::StrSplit(option.get_type_name(), absl::MaxSplits(':', 1));
}

// Returns "-h, --help", "--ranks=N", "--log[=FILE]".
std::string spelling(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    names.push_back("--" + name);
  const std::string value = value_of(option).first;
  std::string spelling = absl::StrJoin(names, ", ");
  if (value.empty()) return spelling;
  const bool optional = option.get_expected_min() == 0;
  return optional ? absl::StrCat(spelling, "[=", value, "]")
                  : absl::StrCat(spelling, "=", value);
}

// The description, the allowed values, and the default.
std::string meaning(const CLI::Option& option) {
  std::vector<std::string> remarks;
  const std::string allowed = value_of(option).second;
  if (!allowed.empty()) remarks.push_back(allowed);
  if (option.get_required()) remarks.emplace_back("required");
  if (!option.get_default_str().empty())
    remarks.push_back("default: " + option.get_default_str());
  const std::string& description = option.get_description();
  if (remarks.empty()) return description;
  const bool list = description.find('\n') != std::string::npos;
  return absl::StrCat(description, list ? "\n(" : " (",
                      absl::StrJoin(remarks, "; "), ")");
}

// The text, wrapped, from kColumn on behind `left`.
std::string wrapped(const std::string& left, const std::string& text) {
  std::string out = "  " + left;
  size_t column = out.size();
  if (column >= kColumn) column = kWidth;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      if (column + 1 + word.size() > kWidth) {
        absl::StrAppend(&out, "\n", std::string(kColumn, ' '));
        column = kColumn;
      } else {
        const size_t gap = column < kColumn ? kColumn - column : 1;
        out.append(gap, ' ');
        column += gap;
      }
      absl::StrAppend(&out, word);
      column += word.size();
    }
    column = kWidth;
  }
  return out + "\n";
}

// Description, usage, and all flags of `app` in their groups, within 80
// columns.
std::string help_of(const CLI::App& app) {
  // Programs of a driver have names of their own; CLI11 names an app without a
  // name after its file.
  const std::string program = program_invocation_short_name;
  std::string name = app.get_name();
  name = name.substr(name.rfind('/') + 1);
  return absl::StrCat(app.get_description(), "\n\nUsage: ", program,
                      name == program || name.empty() ? "" : " " + name,
                      " [FLAGS]\n", flags_of(app));
}

// An option's allowed values: "1 to 4096"; the kind of value, "INT", where no
// more is known.
std::string allowed_values(const CLI::Option& option) {
  const auto [kind, allowed] = value_of(option);
  if (!allowed.empty()) return allowed;
  return kind.empty() ? "true, false" : kind;
}

// ---------------------------------------------------------------------- errors

// Names of the flags that an outer layer of the command line has parsed.
std::vector<std::string>& outer_names() {
  static auto* const kNames = new std::vector<std::string>;
  return *kNames;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    names.push_back(option->get_name());
  return names;
}

[[noreturn]] void refuse_unknown(const CLI::App& app) {
  std::vector<std::string> unknown = app.remaining(true);
  std::replace(unknown.begin(), unknown.end(), std::string(),
               std::string("''"));
  std::vector<std::string> allowed = outer_names();
  for (const std::string& name : names_of(app)) {
    if (std::ranges::count(allowed, name) == 0) allowed.push_back(name);
  }
  die(absl::StrCat("unknown: ", absl::StrJoin(unknown, " "),
                   "; allowed: ", absl::StrJoin(allowed, " "), "; see --help"));
}

// Puts CLI11's errors on types and counts in plain words. The option knows what
// was given and what is allowed.
std::string in_our_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = absl::StrReplaceAll(error.what(), {{"\n", " "}});
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const std::vector<std::string>& given = option->results();
    std::string wrong;
    if (absl::StartsWith(what,
                         absl::StrCat("Could not convert: ", name, " = ")))
      wrong = absl::StrCat(absl::StrJoin(given, " "), " is not allowed");
    if (error.get_name() == "ArgumentMismatch" &&
        absl::StartsWith(what, name + ":")) {
      wrong = given.size() > 1
                  ? absl::StrCat("given ", given.size(),
                                 " times: ", absl::StrJoin(given, ", "))
                  : "no value";
    }
    if (!wrong.empty()) {
      return absl::StrCat(name, ": ", wrong,
                          "; allowed: ", allowed_values(*option));
    }
  }
  return what;
}

template <typename... Arguments>
void parse(CLI::App& app, const std::string& more_help,
           Arguments&&... arguments) {
  try {
    app.parse(std::forward<Arguments>(arguments)...);
  } catch (const CLI::CallForHelp&) {
    print_and_exit(help_of(app) + more_help);
  } catch (const CLI::CallForVersion& version) {
    print_and_exit(absl::StrCat(version.what(), "\n"));
  } catch (const CLI::ExtrasError&) {
    refuse_unknown(app);
  } catch (const CLI::ParseError& error) {
    die(in_our_words(app, error));
  }
}

}  // namespace

std::string flags_of(const CLI::App& app) {
  std::string flags;
  for (const std::string& group : app.get_groups()) {
    const auto options = app.get_options([&group](const CLI::Option* option) {
      return option->get_group() == group;
    });
    if (!options.empty()) absl::StrAppend(&flags, "\n", group, ":\n");
    for (const CLI::Option* option : options)
      flags += wrapped(spelling(*option), meaning(*option));
  }
  return flags;
}

void die(std::string_view message) {
  if (!speaks_for_all()) {
    sleep(1);  // the launcher ends us when the first has spoken
    _exit(2);
  }
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %.*s\n", static_cast<int>(message.size()),
               message.data());
  std::exit(2);
}

void print_and_exit(const std::string& text) {
  if (speaks_for_all()) std::fputs(text.c_str(), stdout);
  std::exit(0);
}

void parse_or_exit(CLI::App& app, int argc, char** argv) {
  parse(app, "", argc, argv);
}

std::vector<std::string> parse_known_or_exit(CLI::App& app, int argc,
                                             char** argv,
                                             const std::string& more_help) {
  app.allow_extras();
  parse(app, more_help, argc, argv);
  outer_names() = names_of(app);
  return app.remaining(true);
}

void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments) {
  // CLI11 takes them last first.
  std::reverse(arguments.begin(), arguments.end());
  parse(app, "", std::move(arguments));
}

}  // namespace magpie::flags
