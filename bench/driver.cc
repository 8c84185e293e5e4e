// One binary per runtime and network, with all programs:
//
//   bazel run //bench:cont_greedy -- uts --tree=T1 --ranks=2

#include <errno.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/program.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

std::string names() {
  std::string names;
  for (const Program& program : programs())
    absl::StrAppend(&names, " ", program.name);
  return names;
}

std::string help() {
  std::string help = absl::StrCat(
      "Benchmark programs on the ", kRuntime.name, " runtime over the ",
      rma::kBackend.name, " network.\n\nUsage: ", program_invocation_short_name,
      " PROGRAM [FLAGS]\n\nPrograms:\n");
  for (const Program& program : programs())
    absl::StrAppendFormat(&help, "  %-16s%s\n", program.name, program.summary);
  absl::StrAppend(&help, "\n", program_invocation_short_name,
                  " PROGRAM --help shows the flags.\n");
  return help;
}

int drive(int argc, char** argv) {
  if (argc < 2)
    flags::die(absl::StrCat(
        "no program; the first argument is one of:", names(), "; or --help"));
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") flags::print_and_exit(help());
  if (name == "--version") return magpie::run(argc, argv, [] {});
  for (const Program& program : programs()) {
    if (name == program.name) return program.main(argc - 1, argv + 1);
  }
  flags::die(absl::StrCat("unknown program: ", name,
                          "; the first argument is one of:", names(),
                          "; or --help"));
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) { return magpie::bench::drive(argc, argv); }
