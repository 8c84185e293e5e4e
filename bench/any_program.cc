#include "bench/any_program.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/run/describe.h"

namespace magpie::bench {
namespace {

// Each program of the binary by its name.
std::map<std::string, Program>& programs() {
  static std::map<std::string, Program> programs;
  return programs;
}

std::string names() {
  std::string names;
  for (const auto& [name, program] : programs())
    absl::StrAppend(&names, " ", name);
  return names;
}

std::string help(const char* runtime) {
  std::string help = absl::StrCat(
      "Benchmark programs on the ", runtime, " runtime over the ",
      rma::kBackend.name, " network.\n\nUsage: ", program_invocation_short_name,
      " PROGRAM [FLAGS]\n\nPrograms:\n");
  for (const auto& [name, program] : programs())
    absl::StrAppendFormat(&help, "  %-16s%s\n", name, program.summary);
  absl::StrAppend(&help, "\n", program_invocation_short_name,
                  " PROGRAM --help shows the flags.\nSeveral programs run one "
                  "after the other in one job, each with its own flags:\n",
                  program_invocation_short_name,
                  " PROGRAM [FLAGS] + PROGRAM [FLAGS]\n");
  return help;
}

// One program of the command line, with its flags behind its name.
struct Part {
  const Program& program;
  int argc;
  char** argv;

  int run() const {
    flags::App app(absl::StrCat(program.summary, "."), argv[0]);
    return program.main(app, argc, argv);
  }
};

// Splits the command line at each "+". Ends the process on an unknown program.
std::vector<Part> parts_of(int argc, char** argv) {
  std::vector<Part> parts;
  char** const end = argv + argc;
  for (char** begin = argv + 1;; ++begin) {
    char** const plus = std::find(begin, end, std::string("+"));
    if (begin == plus)
      flags::die(
          absl::StrCat("no program before or behind a +; one of:", names()));
    const auto found = programs().find(*begin);
    if (found == programs().end())
      flags::die(absl::StrCat("unknown program: ", *begin,
                              "; the first argument is one of:", names(),
                              "; or --help"));
    parts.push_back({found->second, static_cast<int>(plus - begin), begin});
    if (plus == end) return parts;
    begin = plus;
  }
}

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

Program::Program(const char* name, const char* summary, Main main)
    : summary(summary), main(main) {
  programs().emplace(name, *this);
}

int drive(const char* runtime, int (*run_nothing)(int argc, char** argv),
          int argc, char** argv) {
  if (argc < 2)
    flags::die(absl::StrCat(
        "no program; the first argument is one of:", names(), "; or --help"));
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") flags::print_and_exit(help(runtime));
  if (name == "--version") return run_nothing(argc, argv);
  for (const Part& part : parts_of(argc, argv)) {
    if (const int status = part.run(); status != 0) return status;
  }
  return 0;
}

Arguments parse(CLI::App& app, int argc, char** argv,
                const std::string& more_help) {
  Arguments arguments;
  arguments.program = argv[0];
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
