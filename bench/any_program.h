// Parts of all benchmark programs, whichever facade they are written against:
// the main() of a binary that holds several, their command lines, and the JSON
// object or table that each prints (the field names of all programs, runtimes
// and networks alike).
//
// Programs include program.h or pool_program.h, which add the run.

#ifndef MAGPIE_BENCH_ANY_PROGRAM_H_
#define MAGPIE_BENCH_ANY_PROGRAM_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/report.h"

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

// A name and a value of the JSON object.
struct Field {
  using Value = std::variant<bool, int64_t, uint64_t, double, std::string,
                             std::vector<uint64_t>>;

  template <typename T>
  Field(std::string name, const T& value)
      : name(std::move(name)), value(as_value(value)) {}

  template <typename T>
  static Value as_value(const T& value) {
    if constexpr (std::is_same_v<T, bool> || !std::is_arithmetic_v<T>)
      return value;
    else if constexpr (std::is_floating_point_v<T>)
      return double{value};
    else if constexpr (std::is_signed_v<T>)
      return int64_t{value};
    else
      return uint64_t{value};
  }

  std::string name;
  Value value;
};

// Fields of a JSON object. (A JSON library's header would take each program
// seconds to compile.)
using Fields = std::vector<Field>;

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

// Says on stderr, if it is a terminal, what is being run: long runs must not
// look hung.
void announce(const Arguments& arguments, const Fields& params,
              const char* runtime);

// Starts a run on `runtime` by start(&report), which returns its exit status;
// prints answer(report), and returns the exit status on rank 0.
template <typename Start, typename MakeAnswer>
int run_and_print(const Arguments& arguments, const Fields& params,
                  const char* runtime, Start start, MakeAnswer answer) {
  announce(arguments, params, runtime);
  RunReport report;
  const int status = start(&report);
  return status != 0 ? status
                     : print(arguments, params, answer(report), report);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_ANY_PROGRAM_H_
