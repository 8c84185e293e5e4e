// What the benchmark programs have in common: how the driver finds them, how
// they run, and the JSON object or table that each prints (the field names of
// all programs, runtimes and networks alike).
//
// A program is one file in programs/, written against common/fork_join alone:
//
//   int square_main(int argc, char** argv) {
//     CLI::App app("Squares a number in a task.", "square");
//     int64_t n = 3;
//     flags::add_integer<int64_t>(app, "--n", n, "the number", 0, 1000);
//     const bench::Arguments arguments = bench::parse(app, argc, argv);
//     int64_t square = 0;
//     return bench::run(
//         arguments, {{"n", n}}, [n] { return n * n; }, &square, [&] {
//           return bench::Answer{.result = {{"square", square}},
//                                .mismatch = square < n ? "too small" : ""};
//         });
//   }
//
// and a line in programs.cc.

#ifndef MAGPIE_BENCH_PROGRAM_H_
#define MAGPIE_BENCH_PROGRAM_H_

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/flags/flags.h"
#include "common/fork_join/fork_join.h"
#include "common/run/describe.h"

namespace magpie::bench {

struct Program {
  const char* name;
  // One line, for the driver's --help.
  const char* summary;
  // argv[0] is the program's name. Returns the exit status on rank 0: 0, or 1
  // for a wrong result. Bad flags end the process with status 2.
  int (*main)(int argc, char** argv);
};

// All of them, in the order in which the driver shows them.
std::span<const Program> programs();

// What is left of the command line after a program's own flags.
struct Arguments {
  std::string program;
  // --json.
  bool json = false;
  // The runtime's and the network's.
  std::vector<std::string> rest;
};

// Parses the flags of `app`, which has the program's name, and --json. --help
// shows those, the runtime's and the network's. Ends the process on bad input.
Arguments parse(CLI::App& app, int argc, char** argv);

// What came out.
struct Answer {
  // An object.
  Json result;
  // In words, where the result is not the known answer; else empty.
  std::string mismatch;
};

// Everything that there is to say about a run: see README.md for the fields and
// their units.
Json describe(const Arguments& arguments, const Json& params,
              const Answer& answer, const RunReport& report);

// Prints it on stdout, as one JSON object or as a table. Says on stderr when
// the result is wrong. Returns the exit status: 0, or 1 for a wrong result.
int print(const Arguments& arguments, const Json& params, const Answer& answer,
          const RunReport& report);

// Where stderr is a terminal, says there what is being run: long runs must not
// look hung.
void announce(const Arguments& arguments, const Json& params);

// Runs root() as the root task, stores what it returns to *result, prints what
// answer() makes of it, and returns the exit status on rank 0.
template <typename F, typename T, typename MakeAnswer>
int run(const Arguments& arguments, const Json& params, F root, T* result,
        MakeAnswer answer) {
  announce(arguments, params);
  RunReport report;
  const int status = run_with_result(arguments.rest, root, result, &report);
  return status != 0 ? status : print(arguments, params, answer(), report);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAM_H_
