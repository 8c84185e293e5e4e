#include "bench/driver.h"

#include <errno.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

std::string names(const Suite& suite) {
  std::string names;
  for (const Program& program : suite.programs)
    absl::StrAppend(&names, " ", program.name);
  return names;
}

std::string help(const Suite& suite) {
  std::string help = absl::StrCat(
      "Benchmark programs on the ", suite.runtime, " runtime over the ",
      rma::kBackend.name, " network.\n\nUsage: ", program_invocation_short_name,
      " PROGRAM [FLAGS]\n\nPrograms:\n");
  for (const Program& program : suite.programs)
    absl::StrAppendFormat(&help, "  %-16s%s\n", program.name, program.summary);
  absl::StrAppend(&help, "\n", program_invocation_short_name,
                  " PROGRAM --help shows the flags.\nSeveral programs run one "
                  "after the other in one job, each with its own flags:\n",
                  program_invocation_short_name,
                  " PROGRAM [FLAGS] + PROGRAM [FLAGS]\n");
  return help;
}

const Program& program_named(const Suite& suite, const std::string& name) {
  for (const Program& program : suite.programs) {
    if (name == program.name) return program;
  }
  flags::die(absl::StrCat("unknown program: ", name,
                          "; the first argument is one of:", names(suite),
                          "; or --help"));
}

// One program of the command line, with its flags behind its name.
struct Part {
  const Program* program;
  int argc;
  char** argv;
};

// Splits the command line at each "+". Ends the process on an unknown program.
std::vector<Part> parts_of(const Suite& suite, int argc, char** argv) {
  std::vector<Part> parts;
  char** const end = argv + argc;
  for (char** begin = argv + 1;; ++begin) {
    char** const plus = std::find(begin, end, std::string("+"));
    if (begin == plus)
      flags::die(absl::StrCat("no program before or behind a +; one of:",
                              names(suite)));
    parts.push_back(
        {&program_named(suite, *begin), static_cast<int>(plus - begin), begin});
    if (plus == end) return parts;
    begin = plus;
  }
}

}  // namespace

int drive(const Suite& suite, int argc, char** argv) {
  if (argc < 2)
    flags::die(absl::StrCat("no program; the first argument is one of:",
                            names(suite), "; or --help"));
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") flags::print_and_exit(help(suite));
  if (name == "--version") return suite.run_nothing(argc, argv);
  for (const Part& part : parts_of(suite, argc, argv)) {
    const int status = part.program->main(part.argc, part.argv);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace magpie::bench
