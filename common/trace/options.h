// The flags of a trace, and the part of them that every rank gets.

#ifndef MAGPIE_COMMON_TRACE_OPTIONS_H_
#define MAGPIE_COMMON_TRACE_OPTIONS_H_

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace magpie::trace {

// A file that a run is to write. Rank 0 opens it once, before the first task,
// and empties it when there is something to write.
struct OutputFile {
  // Empty: there is none.
  std::string name;
  int descriptor = -1;
};

struct Options {
  OutputFile trace;
  OutputFile timeline;
  // Events and bins of each rank.
  uint64_t events = 16384;
  uint64_t bins = 1024;
};

// --trace, --trace_events, --timeline, --timeline_bins.
void add_options(CLI::App& app, Options& options);

// Opens the files. Prints an error and ends the job with status 2 where one
// cannot be written, or both are one. To be called on rank 0, at the beginning
// of a run.
void open_files(Options& options);

// Numbers of events and bins of one rank; 0: not asked for.
struct Sizes {
  uint64_t events = 0;
  uint64_t bins = 0;
  // Whether the program's own operations are timed.
  bool operations = any();
  bool any() const { return events > 0 || bins > 0; }
};
Sizes sizes_of(const Options& options);

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_OPTIONS_H_
