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

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/trace/event.h"
#include "common/trace/options.h"
#include "common/trace/ring.h"
#include "common/trace/timeline.h"

namespace magpie::trace {

// A number that a rank has at the end of its run: its high-water marks and
// counts.
struct Mark {
  // A literal. All ranks have marks of the same names.
  const char* name;
  uint64_t value;
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
  // for events (common/rma/names.h), which it is told as they end. start() is
  // to be called after a barrier.
  void start();
  void stop();

  // Record what scope.h tells, by the calling rank's clock.
  void record(Event event, uint64_t begin, uint64_t end, const About& about);
  void record_stolen(uint64_t bytes) { stolen_ += bytes; }
  void record_idle(bool is_idle);

  // Writes the files that are asked for, on rank 0: there `files` names them,
  // and `runtime` is the run's; other ranks' arguments are not used. Prints an
  // error and ends the job where that fails. At most 16 of the marks are
  // written. To be called after a barrier that follows stop(). Collective.
  void write(const Options* files, const char* runtime,
             std::span<const Mark> marks);

 private:
  static constexpr size_t kMostMarks = 16;

  // What rank 0, which writes, gets of each rank.
  struct Summary {
    uint64_t zero, begin, end;
    uint64_t size, oldest, dropped;
    uint64_t marks[kMostMarks];
  };
  class TraceFile;

  static size_t summaries(const Sizes& sizes) { return sizes.events > 0; }
  void push(Event event, uint64_t begin, uint64_t end, const About& about);
  std::vector<Record> events_of(int rank, const Summary& summary) const;
  void write_trace(const Options* files, const char* runtime,
                   std::span<const Mark> marks);
  void write_timeline(const Options* files);

  const Sizes sizes_;
  const rma::RemotePtr<Summary> summary_;
  const rma::RemotePtr<Record> records_;
  Ring ring_;
  Timeline busy_;
  Timeline ready_joins_;
  Timeline operations_;
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
