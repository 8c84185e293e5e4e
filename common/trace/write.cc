// The files of a trace, from all ranks' events, and their flags. README.md
// tells the formats.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/flags/flags.h"
#include "common/trace/recorder.h"

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

namespace {

class File {
 public:
  File(const char* flag, const OutputFile& file)
      : words_(absl::StrCat(flag, "=", file.name)),
        file_(fdopen(file.descriptor, "w")) {
    if (file_ == nullptr) fail();
    // A pipe has nothing to be emptied of.
    if (ftruncate(file.descriptor, 0) != 0 && errno != EINVAL) fail();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  template <typename... Args>
  void print(const absl::FormatSpec<Args...>& format, const Args&... args) {
    absl::FPrintF(file_, format, args...);
  }

  void close() {
    const bool failed = std::ferror(file_) != 0;
    if (std::fclose(file_) != 0 || failed) fail();
  }

 private:
  [[noreturn]] void fail() const {
    rma::fatal(absl::StrCat(words_, ": ", std::strerror(errno)));
  }

  const std::string words_;
  std::FILE* const file_;
};

// Writes a time in the format's microseconds, without rounding.
std::string in_us(int64_t ns) {
  const int64_t size = ns < 0 ? -ns : ns;
  return absl::StrFormat("%s%d.%03d", ns < 0 ? "-" : "", size / 1000,
                         size % 1000);
}

// Sorts events by time; an event comes before those that it contains.
void sort(std::vector<Record>* events) {
  std::reverse(events->begin(), events->end());
  std::stable_sort(
      events->begin(), events->end(), [](const Record& a, const Record& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
}

std::string args_of(const Record& record) {
  const bool has_victim =
      record.event == Event::kSteal || record.event == Event::kFailedSteal;
  std::string args;
  if (record.rank >= 0)
    absl::StrAppend(&args,
                    has_victim ? "\"victim\":" : "\"from\":", record.rank);
  if (record.bytes > 0)
    absl::StrAppend(&args, args.empty() ? "" : ",", "\"bytes\":", record.bytes);
  return args;
}

}  // namespace

// A process of the format is a node, and a thread of it a rank; both begin with
// 1, since 0 is special to Perfetto.
class Recorder::TraceFile {
 public:
  TraceFile(const OutputFile& file, const char* runtime)
      : file_("--trace", file) {
    file_.print(
        "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"runtime\":\"%s\","
        "\"backend\":\"%s\","
        "\"machine\":\"%s\",\"ranks\":%d},\n\"traceEvents\":[",
        runtime, rma::kBackend.name, rma::machine(), rma::size());
  }

  void add(int rank, const Summary& summary, std::vector<Record> events,
           std::span<const OwnCount> counts) {
    zero_ = summary.zero;
    rank_ = rank;
    name("process_name", "node", rma::node_of(rank_));
    name("thread_name", "rank", rank_);
    add_run(summary, counts);
    sort(&events);
    for (const Record& record : events) {
      if (record.event == Event::kOutstandingJoin)
        add_pair("b", rank, "e", record);
      else
        add_stretch(name_of(record.event), record.begin, record.end,
                    args_of(record));
      // An arrow: to the event around its end.
      if (record.event == Event::kSteal && record.rank >= 0)
        add_pair("s", record.rank, "f\",\"bp\":\"e", record);
    }
  }

  void close() {
    file_.print("\n]}\n");
    file_.close();
  }

 private:
  // {"pid":1,"tid":1, without the end.
  void begin_event(int rank) {
    file_.print("%s\n{\"pid\":%d,\"tid\":%d,", is_first_ ? "" : ",",
                rma::node_of(rank) + 1, rank + 1);
    is_first_ = false;
  }
  void name(const char* what, const char* kind, int number) {
    begin_event(rank_);
    file_.print("\"ph\":\"M\",\"name\":\"%s\",\"args\":{\"name\":\"%s %d\"}}",
                what, kind, number);
  }

  std::string time(uint64_t clock) const {
    return in_us(static_cast<int64_t>(clock - zero_));
  }

  void add_run(const Summary& summary, std::span<const OwnCount> counts) {
    std::string args =
        absl::StrCat("\"rank\":", rank_, ",\"events\":", summary.size,
                     ",\"events_dropped\":", summary.dropped);
    for (size_t i = 0; i < counts.size(); ++i)
      absl::StrAppend(&args, ",\"", counts[i].name, "\":", summary.counts[i]);
    add_stretch("run", summary.begin, summary.end, args);
  }

  void add_stretch(const char* name, uint64_t begin, uint64_t end,
                   const std::string& args) {
    begin_event(rank_);
    file_.print("\"ph\":\"X\",\"ts\":%s,\"dur\":%s,\"name\":\"%s\"",
                time(begin), in_us(static_cast<int64_t>(end - begin)), name);
    if (!args.empty()) file_.print(",\"args\":{%s}", args);
    file_.print("}");
  }

  // Writes the beginning of an event, on the track of rank `from`, and its end,
  // on the rank's own, as two. An outstanding join may overlap other events of
  // the rank; an arrow leads from a victim to its thief.
  void add_pair(const char* first, int from, const char* second,
                const Record& record) {
    ++pairs_;
    for (const auto& [phase, rank, clock] :
         {std::tuple(first, from, record.begin), {second, rank_, record.end}}) {
      begin_event(rank);
      file_.print(
          "\"ph\":\"%s\",\"cat\":\"%s\",\"id\":%d,\"ts\":%s,\"name\":\"%s\","
          "\"args\":{\"rank\":%d}}",
          phase, name_of(record.event), pairs_, time(clock),
          name_of(record.event), rank_);
    }
  }

  File file_;
  bool is_first_ = true;
  // The rank whose events are added, and its zero time.
  int rank_ = 0;
  uint64_t zero_ = 0;
  uint64_t pairs_ = 0;
};

void Recorder::write(const Options* files, const char* runtime,
                     std::span<const OwnCount> counts) {
  if (sizes_.events > 0)
    write_trace(files, runtime,
                counts.first(std::min(counts.size(), kMostCounts)));
  if (sizes_.bins > 0) write_timeline(files);
  if (sizes_.any()) rma::barrier();
}

void Recorder::write_trace(const Options* files, const char* runtime,
                           std::span<const OwnCount> counts) {
  Summary& mine = *summary_.local();
  mine = {.zero = zero_,
          .begin = begin_,
          .end = end_,
          .size = ring_.size(),
          .oldest = ring_.empty() ? 0 : ring_.oldest(),
          .dropped = ring_.dropped(),
          .counts = {}};
  for (size_t i = 0; i < counts.size(); ++i) mine.counts[i] = counts[i].value;
  rma::barrier();
  if (rma::rank() != 0) return;
  TraceFile file(files->trace, runtime);
  for (int rank = 0; rank < rma::size(); ++rank) {
    const Summary summary = rma::get(summary_.at(rank));
    file.add(rank, summary, events_of(rank, summary), counts);
    rma::compute(1);  // or a simulator takes all ranks to be idle
  }
  file.close();
}

std::vector<Record> Recorder::events_of(int rank,
                                        const Summary& summary) const {
  std::vector<Record> events(summary.size);
  const uint64_t to_the_end =
      std::min(summary.size, sizes_.events - summary.oldest);
  const auto get = [&](uint64_t first, uint64_t place, uint64_t count) {
    const auto from = records_.at(rank) + place;
    rma::get(events.data() + first, {from.rank, from.offset},
             count * sizeof(Record));
  };
  get(0, summary.oldest, to_the_end);
  get(to_the_end, 0, summary.size - to_the_end);
  return events;
}

void Recorder::write_timeline(const Options* files) {
  busy_.add(end_ - zero_, end_ - zero_);  // bins up to the end
  uint64_t width = std::max(busy_.width(), ready_joins_.width());
  uint64_t end = end_ - zero_;
  rma::reduce(&width, 1, rma::Reduction::kMax);
  rma::reduce(&end, 1, rma::Reduction::kMax);
  for (Timeline* timeline : {&busy_, &ready_joins_}) {
    timeline->widen(width);
    rma::reduce(timeline->covered().data(), timeline->covered().size(),
                rma::Reduction::kSum);
  }
  if (rma::rank() != 0) return;
  File file("--timeline", files->timeline);
  file.print("begin_ns,end_ns,busy_ranks,ready_joins\n");
  for (uint64_t i = 0; i * width < end; ++i) {
    const uint64_t until = std::min(end, (i + 1) * width);
    const auto mean = [&](Timeline& timeline) {
      return static_cast<double>(timeline.covered()[i]) /
             static_cast<double>(until - i * width);
    };
    file.print("%d,%d,%.9g,%.9g\n", i * width, until, mean(busy_),
               mean(ready_joins_));
  }
  file.close();
}

}  // namespace magpie::trace
