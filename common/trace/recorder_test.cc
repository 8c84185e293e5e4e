// Events that mechanisms tell, as the files of all ranks have them.
// bench/trace_test compares the files of whole runs with their reports.

#include "common/trace/recorder.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/testing/spmd.h"
#include "common/trace/scope.h"

namespace magpie::trace {
namespace {

// Rank 0's files.
class Files {
 public:
  Files()
      : options_{
            .trace = {absl::StrCat(testing::TempDir(), "/", getpid(), ".t")},
            .timeline = {
                absl::StrCat(testing::TempDir(), "/", getpid(), ".csv")}} {
    open_files(options_);
  }
  ~Files() {
    unlink(options_.trace.name.c_str());
    unlink(options_.timeline.name.c_str());
  }

  const Options* options() const { return &options_; }
  std::string trace() const { return text_of(options_.trace.name); }
  std::string timeline() const { return text_of(options_.timeline.name); }

 private:
  static std::string text_of(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }

  Options options_;
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}
// Number of such events in the trace.
int count(const std::string& trace, Event event) {
  return count(trace, absl::StrCat("\"name\":\"", name_of(event), "\""));
}

// An attempt to steal of two phases.
void attempt(bool succeeds, uint64_t* total) {
  Scope scope;
  Phase phase;
  rma::compute(1000);
  phase.end(Event::kEmptyCheck);
  rma::compute(1000);
  phase.end(Event::kLock);
  if (succeeds) {
    uint64_t bytes = 0;
    stole(48, bytes);
    EXPECT_EQ(bytes, 48u);
  }
  scope.end(succeeds ? Event::kSteal : Event::kFailedSteal, *total,
            {.rank = 0});
}

// A run with a recorder of these sizes. Returns its trace and its timeline on
// rank 0.
void run(const Sizes& sizes, std::string* trace, std::string* timeline) {
  uint64_t total = 0, joined = 0;
  Files files;
  Recorder recorder(sizes);
  attempt(true, &total);  // before the run
  rma::barrier();
  recorder.start();
  rma::compute(2000);
  {
    const Idle idle;
    attempt(false, &total);
    attempt(true, &total);
  }
  Scope join;
  rma::compute(3000);
  join.end(Event::kOutstandingJoin, joined);
  recorder.stop();
  attempt(true, &total);
  EXPECT_GE(total, 4 * 2000u);
  EXPECT_GE(joined, 3000u);
  rma::barrier();
  const OwnCount counts[] = {{"answer", 42}};
  recorder.write(rma::rank() == 0 ? files.options() : nullptr, "some", counts);
  *trace = files.trace();
  *timeline = files.timeline();
}

SPMD_TEST(Recorder, WritesAllRanksEvents) {
  std::string trace, timeline;
  run({.events = 16}, &trace, &timeline);
  if (rma::rank() != 0) return;
  const int ranks = rma::size();
  EXPECT_EQ(timeline, "");
  EXPECT_EQ(count(trace, Event::kBusy), 2 * ranks);
  EXPECT_EQ(count(trace, Event::kIdle), ranks);
  // An arrow has two ends of its name.
  EXPECT_EQ(count(trace, Event::kSteal), 3 * ranks);
  EXPECT_EQ(count(trace, "\"victim\":0,\"bytes\":48"), ranks);
  // Phases of failed attempts are not told.
  EXPECT_EQ(count(trace, Event::kFailedSteal), ranks);
  EXPECT_EQ(count(trace, Event::kEmptyCheck), ranks);
  EXPECT_EQ(count(trace, Event::kLock), ranks);
  // Each has a beginning and an end.
  EXPECT_EQ(count(trace, Event::kOutstandingJoin), 2 * ranks);
  EXPECT_EQ(count(trace, "\"events_dropped\":0,\"answer\":42"), ranks);
}

SPMD_TEST(Recorder, ATimelineNeedsNoEvents) {
  std::string trace, timeline;
  run({.bins = 8}, &trace, &timeline);
  if (rma::rank() != 0) return;
  EXPECT_EQ(trace, "");
  EXPECT_EQ(count(timeline, "begin_ns,end_ns,busy_ranks,ready_joins\n0,"), 1);
  EXPECT_GE(count(timeline, "\n"), 4);
  EXPECT_LE(count(timeline, "\n"), 9);
}

SPMD_TEST(Recorder, NothingIsRememberedUnlessAskedFor) {
  std::string trace, timeline;
  run({}, &trace, &timeline);
  EXPECT_FALSE(is_on());
  EXPECT_EQ(trace, "");
  EXPECT_EQ(timeline, "");
}

}  // namespace
}  // namespace magpie::trace
