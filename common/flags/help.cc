#include "common/flags/help.h"

#include <errno.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace magpie::flags::internal {
namespace {

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

}  // namespace

std::string help_of(const CLI::App& app) {
  return tidy(
      Formatter().make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
}

std::string flags_of(const CLI::App& app) {
  return tidy(Formatter().make_groups(&app, CLI::AppFormatMode::Normal));
}

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

std::string allowed_values(const CLI::Option& option) {
  const auto [kind, allowed] = value_of(option);
  if (!allowed.empty()) return allowed;
  return kind.empty() ? "true, false" : kind;
}

}  // namespace magpie::flags::internal
