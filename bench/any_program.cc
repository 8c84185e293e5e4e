#include "bench/any_program.h"

#include <errno.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

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

void print_table(const Arguments& arguments, const Fields& params,
                 const Answer& answer, const RunReport& report) {
  std::printf("%s %s, runtime %s, network %s%s%s, %d rank%s\n",
              arguments.program.c_str(), in_line(params).c_str(),
              report.runtime, report.backend,
              report.machine.empty() ? "" : " of ", report.machine.c_str(),
              report.ranks, report.ranks == 1 ? "" : "s");
  std::printf("  %-26s %s\n  %-26s %s\n%s", "result",
              in_line(answer.result).c_str(), "seconds",
              absl::StrCat(report.seconds).c_str(),
              in_rows(report, answer.metrics).c_str());
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
  if (arguments.json) {
    const Fields before = {{"program", arguments.program},
                           {"params", params},
                           {"result", answer.result}};
    std::printf("%s\n", in_json(before, report, answer.metrics).c_str());
  } else {
    print_table(arguments, params, answer, report);
  }
  if (answer.mismatch.empty()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %s: wrong result: %s\n",
               arguments.program.c_str(), answer.mismatch.c_str());
  return 1;
}

}  // namespace magpie::bench
