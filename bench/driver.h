// The main() of a binary that holds several benchmark programs: its first
// argument says which of them runs.

#ifndef MAGPIE_BENCH_DRIVER_H_
#define MAGPIE_BENCH_DRIVER_H_

#include <span>

namespace magpie::bench {

struct Program {
  const char* name;
  // One line, for --help.
  const char* summary;
  // argv[0] is the program's name. Returns the exit status on rank 0: 0, or 1
  // for a wrong result. Bad flags end the process with status 2.
  int (*main)(int argc, char** argv);
};

// The programs of one facade, and the runtime that is linked for them.
struct Suite {
  // The programs, in the order in which --help shows them.
  std::span<const Program> programs;
  // The linked runtime's name.
  const char* runtime;
  // Runs a program that does nothing, with the flags in argv[1..argc). For
  // --version.
  int (*run_nothing)(int argc, char** argv);
};

// Runs the program that argv[1] names, and then those that stand behind a "+",
// each with its own flags. Returns the exit status of the first that fails.
int drive(const Suite& suite, int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_DRIVER_H_
