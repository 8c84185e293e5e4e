// Parts of all benchmark programs, whichever facade they are written against:
// the main() of a binary that holds several, their command lines, and the JSON
// object or table that each prints (the field names of all programs, runtimes
// and networks alike).
//
// Programs include program.h or pool_program.h, which add the run.

#ifndef MAGPIE_BENCH_ANY_PROGRAM_H_
#define MAGPIE_BENCH_ANY_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/describe.h"

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

// The cost of looking at a node of UTS, or at something that takes about as
// long, for simulated ranks.
inline const rma::Cost kNode("uts_node");

// Rest of the command line, after a program's own flags.
struct Arguments {
  std::string program;
  // Whether --json was given.
  bool json = false;
  // The flags of the runtime and the network.
  std::vector<std::string> rest;
};

// Parses the flags of `app`, which has the program's name, and --json. --help
// shows those, and `more_help`, the runtime's and the network's. Ends the
// process on bad input.
Arguments parse(CLI::App& app, int argc, char** argv,
                const std::string& more_help);

// The outcome of a program.
struct Answer {
  Fields result;
  // Text that says what is wrong with the result; empty where it is the known
  // answer.
  std::string mismatch;
  // Metrics that the program adds to the report's.
  Fields metrics = {};
};

// Returns text, StrCat() of `words`, that says what is wrong with a result;
// empty where it is right.
template <typename... Words>
std::string unless(bool is_right, const Words&... words) {
  return is_right ? "" : absl::StrCat(words...);
}

// Prints a run in full on stdout, as one JSON object (README.md has its fields
// and their units) or as a table. Says on stderr when the result is wrong.
// Returns the exit status: 0, or 1 for a wrong result.
int print(const Arguments& arguments, const Fields& params,
          const Answer& answer, const RunReport& report);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_ANY_PROGRAM_H_
