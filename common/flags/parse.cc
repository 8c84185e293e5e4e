// Parses a command line, and prints help and errors.

#include <errno.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
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

class Formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    // Programs of a driver have names of their own; CLI11 names an app without
    // a name after its file.
    name = name.substr(name.rfind('/') + 1);
    const std::string program = program_invocation_short_name;
    if (name == program) name.clear();
    return absl::StrCat("\nUsage: ", program, name.empty() ? "" : " ", name,
                        app->get_options().empty() ? "" : " [FLAGS]", "\n");
  }

  std::string make_option(const CLI::Option* option, bool) const override {
    return wrapped(spelling(*option), meaning(*option));
  }
};

// The text without the lines that CLI11 leaves empty between groups and at the
// end.
std::string tidy(std::string help) {
  absl::StripTrailingAsciiWhitespace(&help);
  return absl::StrReplaceAll(help, {{"\n\n\n", "\n\n"}}) + "\n";
}

// Description, usage, and all flags of `app` in their groups, within 80
// columns.
std::string help_of(const CLI::App& app) {
  return tidy(
      Formatter().make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
}

// The names in a text that flags_of has made.
std::vector<std::string> flags_in(absl::string_view help) {
  constexpr absl::string_view kIndent = "  --";
  std::vector<std::string> names;
  for (absl::string_view line : absl::StrSplit(help, '\n')) {
    if (!absl::StartsWith(line, kIndent)) continue;
    line.remove_prefix(2);
    names.emplace_back(line.substr(0, line.find_first_of(" =[,")));
  }
  return names;
}

// An option's allowed values: "1 to 4096"; the kind of value, "INT", where no
// more is known.
std::string allowed_values(const CLI::Option& option) {
  const auto [kind, allowed] = value_of(option);
  if (!allowed.empty()) return allowed;
  return kind.empty() ? "true, false" : kind;
}

// ---------------------------------------------------------------------- errors

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    names.push_back(option->get_name());
  for (const CLI::App* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

[[noreturn]] void refuse_unknown(std::vector<std::string> unknown,
                                 const std::vector<std::string>& allowed) {
  std::replace(unknown.begin(), unknown.end(), std::string(),
               std::string("''"));
  die(absl::StrCat("unknown: ", absl::StrJoin(unknown, " "),
                   "; allowed: ", absl::StrJoin(allowed, " "), "; see --help"));
}

// The arguments that are neither flags in `known` nor values after one.
std::vector<std::string> unknown_among(
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& known) {
  std::vector<std::string> unknown;
  bool may_be_value = false;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const bool is_flag = absl::StartsWith(argument, "--");
    const bool is_known =
        is_flag ? std::ranges::count(known, argument.substr(0, equals)) > 0
                : may_be_value;
    if (!is_known) unknown.push_back(argument);
    may_be_value = is_flag && is_known && equals == std::string::npos;
  }
  return unknown;
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
    refuse_unknown(app.remaining(true), names_of(app));
  } catch (const CLI::ParseError& error) {
    die(in_our_words(app, error));
  }
}

}  // namespace

std::string flags_of(const CLI::App& app) {
  return tidy(Formatter().make_groups(&app, CLI::AppFormatMode::Normal));
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
  const std::vector<std::string> rest = app.remaining(true);
  if (more_help.empty()) return rest;
  const std::vector<std::string> next = flags_in(more_help);
  if (const auto unknown = unknown_among(rest, next); !unknown.empty()) {
    std::vector<std::string> allowed = names_of(app);
    allowed.insert(allowed.end(), next.begin(), next.end());
    refuse_unknown(unknown, allowed);
  }
  return rest;
}

void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments) {
  // CLI11 takes them last first.
  std::reverse(arguments.begin(), arguments.end());
  parse(app, "", std::move(arguments));
}

}  // namespace magpie::flags
