#include "bench/driver.h"

#include <errno.h>

#include <string>

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
                  " PROGRAM --help shows the flags.\n");
  return help;
}

}  // namespace

int drive(const Suite& suite, int argc, char** argv) {
  if (argc < 2)
    flags::die(absl::StrCat("no program; the first argument is one of:",
                            names(suite), "; or --help"));
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") flags::print_and_exit(help(suite));
  if (name == "--version") return suite.run_nothing(argc, argv);
  for (const Program& program : suite.programs) {
    if (name == program.name) return program.main(argc - 1, argv + 1);
  }
  flags::die(absl::StrCat("unknown program: ", name,
                          "; the first argument is one of:", names(suite),
                          "; or --help"));
}

}  // namespace magpie::bench
