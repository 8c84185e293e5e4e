// The main() of a binary that holds several benchmark programs: its first
// argument says which of them runs.

#ifndef MAGPIE_BENCH_DRIVER_H_
#define MAGPIE_BENCH_DRIVER_H_

#include "common/flags/flags.h"

namespace magpie::bench {

// A program of the binary that its file is linked into, which has one as a
// global constant.
struct Program {
  // Adds its flags to `app` and parses argv, whose first element is its name.
  // Returns the exit status on rank 0: 0, or 1 for a wrong result. Bad flags
  // end the process with status 2.
  using Main = int (*)(CLI::App& app, int argc, char** argv);

  // `summary` is a line for --help.
  Program(const char* name, const char* summary, Main main);

  const char* summary;
  Main main;
};

// Runs the program that argv[1] names, and then those that stand behind a "+",
// each with its own flags. Returns the exit status of the first that fails.
// run_nothing(argc, argv) runs a program that does nothing on the linked
// `runtime`, with the flags in argv[1..argc): for --version.
int drive(const char* runtime, int (*run_nothing)(int argc, char** argv),
          int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_DRIVER_H_
