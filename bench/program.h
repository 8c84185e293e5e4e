// Frame of a benchmark program over fork and join, which is one file in
// programs/, such as fib.cc, against common/fork_join alone.

#ifndef MAGPIE_BENCH_PROGRAM_H_
#define MAGPIE_BENCH_PROGRAM_H_

#include "bench/any_program.h"
#include "common/fork_join/fork_join.h"

namespace magpie::bench {

// Parses the flags of `app`, which has the program's name, and --json. --help
// shows those, the runtime's and the network's. Ends the process on bad input.
inline Arguments parse(CLI::App& app, int argc, char** argv) {
  return parse(app, argc, argv, seam::flags_help());
}

// Runs root() as the root task, stores what it returns to *result, prints
// answer(), and returns the exit status on rank 0.
template <typename F, typename T, typename MakeAnswer>
int run(const Arguments& arguments, const Fields& params, F root, T* result,
        MakeAnswer answer) {
  RunReport report;
  const int status = run_with_result(arguments.rest, root, result, &report);
  return status != 0 ? status : print(arguments, params, answer(), report);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAM_H_
