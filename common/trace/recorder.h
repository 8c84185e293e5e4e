// The recorder of one rank keeps its last events and its timeline during a run,
// and writes the files of all ranks at the end. For common/run; mechanisms
// include scope.h.
//
// Events lie in the symmetric heap, from which rank 0 gets them after the run:
// nothing is sent during the run, and a rank with a trace does what it does
// without one, except that it looks at the clock.
//
// Thread safety: an instance belongs to one rank.

#ifndef MAGPIE_COMMON_TRACE_RECORDER_H_
#define MAGPIE_COMMON_TRACE_RECORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/trace/event.h"
#include "common/trace/scheduler_stats.h"

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
  bool any() const { return events > 0 || bins > 0; }
};
Sizes sizes_of(const Options& options);

struct Record {
  // Times by the rank's clock.
  uint64_t begin;
  uint64_t end;
  uint64_t bytes;
  int32_t rank;
  Event event;
};
static_assert(sizeof(Record) == 32);

// The last events of a rank, as many as there are places.
class Ring {
 public:
  // Uses memory of the caller, which outlives the ring.
  explicit Ring(std::span<Record> places) : places_(places) {}

  // Adds a record; where no place is left, drops the oldest.
  void push(const Record& record) {
    if (size() == places_.size()) ++begin_;
    if (!places_.empty()) places_[end_ % places_.size()] = record;
    ++end_;
  }

  // REQUIRES, for both: !empty().
  const Record& newest() const { return places_[(end_ - 1) % places_.size()]; }
  void take_back() { --end_; }

  bool empty() const { return begin_ == end_; }
  size_t size() const { return end_ - begin_; }
  // Number of records that were dropped.
  uint64_t dropped() const { return begin_; }
  // The place of the oldest record; the others follow, and the first place
  // comes after the last. REQUIRES: !empty().
  size_t oldest() const { return begin_ % places_.size(); }

 private:
  std::span<Record> places_;
  // Numbers of the oldest record and of the next.
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

// Number of things of a kind over time, where the run's length is not known
// before: a fixed number of bins, each of which holds how much of its time was
// covered. When time goes beyond the last bin, bins get twice as wide:
// neighbours become one.
class Timeline {
 public:
  // A timeline of `bins` bins, rounded up to an even number.
  explicit Timeline(size_t bins) : covered_((bins + 1) / 2 * 2) {}

  // Adds a thing that was there from `begin` to `end`. Nanoseconds, from 0.
  // REQUIRES: there are bins.
  void add(uint64_t begin, uint64_t end) {
    while (end > covered_.size() * width_) widen(2 * width_);
    for (uint64_t bin = begin / width_; begin < end; ++bin) {
      const uint64_t next = std::min(end, (bin + 1) * width_);
      covered_[bin] += next - begin;
      begin = next;
    }
  }

  // Width of a bin in nanoseconds: 2^n.
  uint64_t width() const { return width_; }
  // Makes bins so wide. REQUIRES: `width` is width() * 2^n.
  void widen(uint64_t width) {
    for (; width_ < width; width_ *= 2) {
      const size_t half = covered_.size() / 2;
      for (size_t i = 0; i < half; ++i)
        covered_[i] = covered_[2 * i] + covered_[2 * i + 1];
      std::fill_n(covered_.rbegin(), half, 0);
    }
  }

  // Nanoseconds of each bin that were covered, summed over all things that were
  // there.
  std::span<uint64_t> covered() { return covered_; }

 private:
  static constexpr uint64_t kFirstWidth = 1024;

  std::vector<uint64_t> covered_;
  uint64_t width_ = kFirstWidth;
};

class Recorder {
 public:
  // Collective, with the same sizes on all ranks. The ranks agree on a time,
  // even where nothing is asked for: so a run is the same with a trace and
  // without. Cost: a broadcast.
  explicit Recorder(const Sizes& sizes);
  static size_t heap_bytes(const Sizes& sizes);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Begin and end the run on this rank. Only in between is anything recorded,
  // and only where there is a trace or a timeline, or where the network asks
  // for events (common/rma/events.h), which it is told as they end. start() is
  // to be called after a barrier.
  void start();
  void stop();

  // Record what scope.h tells, by the calling rank's clock.
  void record(Event event, uint64_t begin, uint64_t end, const About& about);
  void record_stolen(uint64_t bytes) { stolen_ += bytes; }
  void record_idle(bool is_idle);

  // Writes the files that are asked for, on rank 0: there `files` names them,
  // and `runtime` is the run's; other ranks' are not used. Each rank gives its
  // own `counts`, of the same names on all, of which at most 16 are written.
  // Prints an error and ends the job where that fails. To be called after a
  // barrier that follows stop(). Collective.
  void write(const Options* files, const char* runtime,
             std::span<const OwnCount> counts);

 private:
  static constexpr size_t kMostCounts = 16;

  // Data that rank 0, which writes, gets of each rank.
  struct Summary {
    uint64_t zero, begin, end;
    uint64_t size, oldest, dropped;
    uint64_t counts[kMostCounts];
  };
  class TraceFile;

  static size_t summaries(const Sizes& sizes) { return sizes.events > 0; }
  void push(Event event, uint64_t begin, uint64_t end, const About& about);
  std::vector<Record> events_of(int rank, const Summary& summary) const;
  void write_trace(const Options* files, const char* runtime,
                   std::span<const OwnCount> counts);
  void write_timeline(const Options* files);

  const Sizes sizes_;
  const rma::RemotePtr<Summary> summary_;
  const rma::RemotePtr<Record> records_;
  Ring ring_;
  Timeline busy_;
  Timeline ready_joins_;
  // The time that is 0 in the files, by the rank's clock, shortly before the
  // run; and when the run began and ended on this rank.
  const uint64_t zero_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  // When the rank last began or stopped to search for work.
  uint64_t turned_ = 0;
  // Bytes stolen by the attempt to steal that is under way.
  uint64_t stolen_ = 0;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_RECORDER_H_
