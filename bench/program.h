// How a benchmark program over fork and join is written: one file in programs/,
// against common/fork_join alone.
//
//   int square_main(int argc, char** argv) {
//     flags::App app("Squares a number in a task.", "square");
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
  return run_and_print(
      arguments, params, kRuntime.name,
      [&](RunReport* report) {
        return run_with_result(arguments.rest, root, result, report);
      },
      [&](const RunReport&) { return answer(); });
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAM_H_
