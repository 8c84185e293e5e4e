// What one rank remembers of a run: its last events and its timeline; and at
// the end the files of all ranks. For common/run; mechanisms include scope.h.
//
// Events lie in the symmetric heap, from where rank 0 gets them after the run:
// nothing is sent while it lasts, and no rank does anything else with a trace
// than without, but look at the clock.
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
  // A literal; the same ones on all ranks.
  const char* name;
  uint64_t value;
};

class Recorder {
 public:
  // Collective, as are heap_bytes's sizes. Also where nothing is asked for the
  // ranks agree on a time: so a run is the same with a trace and without.
  // Cost: a broadcast.
  explicit Recorder(const Sizes& sizes);
  static size_t heap_bytes(const Sizes& sizes);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The run begins and ends on this rank. Only between the two is anything
  // recorded, and only where there is a trace or a timeline, or where the
  // network asks for events (common/rma/events.h), which are told as they end.
  // start() is to be called after a barrier.
  void start();
  void stop();

  // For scope.h, by the calling rank's clock.
  void record(Event event, uint64_t begin, uint64_t end, const About& about);
  void record_stolen(uint64_t bytes) { stolen_ += bytes; }
  void record_idle(bool is_idle);

  // Writes the files that are asked for, on rank 0: `files` names them there,
  // and `runtime` the run's; other ranks' are not looked at. Ends the job in
  // words where that fails. Of the marks at most 16 are told. To be called
  // after a barrier that follows stop().
  // Collective.
  void write(const Options* files, const char* runtime,
             std::span<const Mark> marks);

 private:
  static constexpr size_t kMostMarks = 16;

  // Of one rank, for the one that writes.
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
  // What is 0 in the files, by the rank's clock, shortly before the run; when
  // that began on this rank, and when it ended.
  const uint64_t zero_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  // When the rank last stopped, or began, to search for work.
  uint64_t turned_ = 0;
  // By the attempt to steal that is under way.
  uint64_t stolen_ = 0;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_RECORDER_H_
