#include "common/flags/flags.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace magpie::flags {
namespace {

std::string allowed_flags(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    names.push_back(option->get_name());
  for (const CLI::App* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return absl::StrJoin(names, " ");
}

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // CLI11 lists them last first.
    std::vector<std::string> extras = app.remaining(true);
    die(absl::StrCat(
        "unknown: ", extras.empty() ? error.what() : absl::StrJoin(extras, " "),
        "; allowed: ", allowed_flags(app)));
  }
  die(absl::StrReplaceAll(error.what(), {{"\n", " "}}));
}

// Bytes in "16M"; nothing when the text is no size or does not fit.
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

}  // namespace

void die(std::string_view message) {
  // A launcher starts many processes with one command line. The first of them
  // speaks; the others give it the time, until the launcher ends them.
  for (const char* rank :
       {std::getenv("OMPI_COMM_WORLD_RANK"), std::getenv("PMI_RANK")}) {
    if (rank == nullptr || std::string_view(rank) == "0") continue;
    sleep(1);
    _exit(2);
  }
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %.*s\n", static_cast<int>(message.size()),
               message.data());
  std::exit(2);
}

void parse_or_exit(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    std::exit(0);
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
}

std::vector<std::string> parse_known_or_exit(CLI::App& app, int argc,
                                             char** argv,
                                             const std::string& more_help) {
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(absl::StrCat(app.help(), more_help).c_str(), stdout);
    std::exit(0);
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  return app.remaining(true);
}

void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments) {
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    std::exit(0);
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
}

CLI::Option* add_bytes(CLI::App& app, const std::string& name, uint64_t& value,
                       const std::string& description, uint64_t min,
                       uint64_t max) {
  auto to_bytes = [min, max](std::string& text) -> std::string {
    uint64_t bytes;
    if (!parse_size(text, &bytes) || bytes < min || bytes > max) {
      return absl::StrCat(text, " is not a size from ", min, " to ", max,
                          " bytes (K, M, G, T allowed behind the number)");
    }
    text = absl::StrCat(bytes);
    return {};
  };
  return app.add_option(name, value, description)
      ->transform(CLI::Validator(to_bytes, "BYTES"))
      ->capture_default_str();
}

}  // namespace magpie::flags
