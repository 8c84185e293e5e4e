// The flags of a trace, and the part of them that every rank gets.

#ifndef MAGPIE_COMMON_TRACE_OPTIONS_H_
#define MAGPIE_COMMON_TRACE_OPTIONS_H_

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace magpie::trace {

struct Options {
  // Names of the files; empty: none.
  std::string trace;
  std::string timeline;
  // Events and bins of each rank.
  uint64_t events = 16384;
  uint64_t bins = 1024;
};

// --trace, --trace_events, --timeline, --timeline_bins.
void add_options(CLI::App& app, Options& options);

// Ends the process with status 2 and one line where a file cannot be written;
// else creates the files, empty.
void require_files(const Options& options);

// Numbers of events and bins of one rank; 0: not asked for.
struct Sizes {
  uint64_t events = 0;
  uint64_t bins = 0;
  bool any() const { return events > 0 || bins > 0; }
};
Sizes sizes_of(const Options& options);

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_OPTIONS_H_
