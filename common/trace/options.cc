#include "common/trace/options.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "common/trace/event.h"

namespace magpie::trace {
namespace {

void open_file(const char* flag, OutputFile& file) {
  if (file.name.empty()) return;
  file.descriptor =
      open(file.name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file.descriptor < 0)
    rma::fatal(absl::StrCat(flag, "=", file.name, ": ", std::strerror(errno),
                            "; a file that can be written is allowed"),
               2);
}

// Whether both are one file or pipe. A device takes what both write.
bool are_one(const OutputFile& a, const OutputFile& b) {
  struct stat of_a, of_b;
  return fstat(a.descriptor, &of_a) == 0 && fstat(b.descriptor, &of_b) == 0 &&
         !S_ISCHR(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  flags::add_text(app, "--trace", options.trace.name,
                  "write what each rank did, and when, to this file, as Chrome "
                  "trace JSON, which Perfetto opens",
                  "FILE", "none");
  flags::add_integer(
      app, "--trace_events", options.events,
      "largest number of events of each rank in the trace, the last ones; each "
      "takes 32 bytes of memory, some 100 of the file",
      uint64_t{1}, uint64_t{1} << 32);
  flags::add_text(app, "--timeline", options.timeline.name,
                  "write to this file, as CSV, how many ranks were busy and "
                  "how many outstanding joins were ready, over time",
                  "FILE", "none");
  flags::add_integer(app, "--timeline_bins", options.bins,
                     "largest number of stretches of time in the timeline; it "
                     "has at least half as many",
                     uint64_t{2}, uint64_t{1} << 20);
}

void open_files(Options& options) {
  open_file("--trace", options.trace);
  open_file("--timeline", options.timeline);
  if (are_one(options.trace, options.timeline))
    rma::fatal(absl::StrCat("--timeline=", options.timeline.name,
                            ": is the file of --trace, too; another file is "
                            "allowed"),
               2);
}

Sizes sizes_of(const Options& options) {
  return {.events = options.trace.name.empty() ? 0 : options.events,
          .bins = options.timeline.name.empty() ? 0 : options.bins};
}

}  // namespace magpie::trace
