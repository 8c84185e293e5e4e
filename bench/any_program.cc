#include "bench/any_program.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "common/run/describe.h"

namespace magpie::bench {
namespace {

Json object_of(const Fields& fields) {
  Json object = Json::object();
  for (const Field& field : fields)
    std::visit([&](const auto& value) { object[field.name] = value; },
               field.value);
  return object;
}

void print_row(const std::string& name, const std::string& value) {
  std::printf("  %-26s %s\n", name.c_str(), value.c_str());
}

void print_table(const Json& run) {
  std::printf(
      "%s %s, runtime %s, network %s%s, %s\n",
      run["program"].get<std::string>().c_str(), in_line(run["params"]).c_str(),
      run["runtime"].get<std::string>().c_str(),
      run["backend"].get<std::string>().c_str(),
      run.contains("machine")
          ? absl::StrCat(" of ", run["machine"].get<std::string>()).c_str()
          : "",
      run["ranks"] == 1
          ? "1 rank"
          : absl::StrCat(run["ranks"].get<int>(), " ranks").c_str());
  print_row("result", in_line(run["result"]));
  print_row("seconds", in_words(run["seconds"]));
  std::fputs(in_rows(run["metrics"]).c_str(), stdout);
}

}  // namespace

Arguments parse(CLI::App& app, int argc, char** argv,
                const std::string& more_help) {
  Arguments arguments;
  arguments.program = flags::name_of(app);
  flags::add_switch(app, "--json", arguments.json,
                    "print one JSON object instead of a table");
  arguments.rest = flags::parse_known_or_exit(app, argc, argv, more_help);
  return arguments;
}

int print(const Arguments& arguments, const Fields& params,
          const Answer& answer, const RunReport& report) {
  Json run = {{"program", arguments.program},
              {"params", object_of(params)},
              {"result", object_of(answer.result)}};
  run.update(describe(report));
  run["metrics"].update(object_of(answer.metrics));
  if (arguments.json) {
    std::printf("%s\n", run.dump().c_str());
  } else {
    print_table(run);
  }
  if (answer.mismatch.empty()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %s: wrong result: %s\n",
               arguments.program.c_str(), answer.mismatch.c_str());
  return 1;
}

void announce(const Arguments& arguments, const Fields& params,
              const char* runtime) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "running %s %s on %s ...\n", arguments.program.c_str(),
               in_line(object_of(params)).c_str(), runtime);
}

}  // namespace magpie::bench
