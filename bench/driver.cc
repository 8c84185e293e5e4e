// One binary per runtime and network, with all programs:
//
//   bazel run //bench:cont_greedy -- uts --tree=T1 --ranks=2

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
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

void print_help(const char* binary) {
  std::printf(
      "Benchmark programs on the %s runtime over the %s network.\n\n"
      "Usage: %s PROGRAM [FLAGS]\n\nPrograms:\n",
      kRuntime.name, rma::kBackend.name, binary);
  for (const Program& program : programs())
    std::printf("  %-16s%s\n", program.name, program.summary);
  std::printf("\n%s PROGRAM --help shows the flags.\n", binary);
}

int drive(int argc, char** argv) {
  if (argc < 2)
    flags::die(absl::StrCat(
        "no program; the first argument is one of:", names(), "; or --help"));
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") {
    print_help(argv[0]);
    return 0;
  }
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
