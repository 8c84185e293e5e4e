// Stretches of time that mechanisms tell; the last events and the timeline that
// are kept of them; and the files of all ranks. bench/trace_test compares the
// files of whole runs with their reports.

#include "common/trace/recorder.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/testing/spmd.h"
#include "common/trace/scope.h"

namespace magpie::trace {
namespace {

// Stretches that follow each other leave no time out; each adds to what there
// was.
SPMD_TEST(Scope, EachEndIsTheNextBeginning) {
  uint64_t searched = 5000, stolen = 0;
  const uint64_t before = rma::now();
  Scope scope;
  const uint64_t begun = rma::now();
  rma::compute(1000);
  scope.end(Event::kSearch, searched);
  rma::compute(2000);
  const uint64_t ending = rma::now();
  scope.end(Event::kSteal, stolen);
  const uint64_t after = rma::now();
  searched -= 5000;
  EXPECT_GE(searched, 1000u);
  EXPECT_GE(stolen, 2000u);
  EXPECT_GE(searched + stolen, ending - begun);
  EXPECT_LE(searched + stolen, after - before);
}

// A stretch begins when the later of two sides has arrived.
SPMD_TEST(Scope, BeginsNoSoonerThanAnotherRankSays) {
  uint64_t total = 0;
  Scope scope;
  const uint64_t early = rma::now();
  rma::compute(100'000);
  const uint64_t begun = rma::now();
  scope.begins_no_sooner(begun);
  scope.begins_no_sooner(early);
  scope.end(Event::kOutstandingJoin, total);
  EXPECT_LE(total, rma::now() - begun);
}

SPMD_TEST(Scope, AClockThatIsAheadMakesItNoLongerThanNothing) {
  uint64_t total = 7;
  Scope scope;
  scope.begins_no_sooner(rma::now() + uint64_t{1'000'000'000'000});
  scope.end(Event::kOutstandingJoin, total);
  EXPECT_EQ(total, 7u);
}

// Compares a ring with a queue of all that it keeps, as rank 0 reads it, oldest
// first. Records that were dropped stay away when newer ones are taken back.
SPMD_TEST(Ring, KeepsTheLastThatWereNotTakenBack) {
  std::mt19937_64 random(1);
  for (const size_t size : {0, 1, 2, 4, 5}) {
    std::vector<Record> places(size);
    Ring ring(places);
    std::deque<uint64_t> kept;
    uint64_t dropped = 0;
    for (uint64_t time = 0; time < 1000; ++time) {
      if (random() % 3 == 0 && !kept.empty()) {
        ring.take_back();
        kept.pop_back();
      } else {
        ring.push({time, time, 0, -1, Event::kBusy});
        kept.push_back(time);
        if (kept.size() > size) {
          kept.pop_front();
          ++dropped;
        }
      }
      ASSERT_EQ(ring.empty(), kept.empty());
      ASSERT_EQ(ring.size(), kept.size());
      ASSERT_EQ(ring.dropped(), dropped);
      if (kept.empty()) continue;
      ASSERT_EQ(ring.newest().begin, kept.back());
      for (size_t i = 0; i < kept.size(); ++i)
        ASSERT_EQ(places[(ring.oldest() + i) % size].begin, kept[i]);
    }
  }
}

using Covered = std::vector<uint64_t>;

Covered covered(Timeline& timeline) {
  return {timeline.covered().begin(), timeline.covered().end()};
}
uint64_t sum(Timeline& timeline) {
  const Covered all = covered(timeline);
  return std::accumulate(all.begin(), all.end(), uint64_t{0});
}

// The timeline is as if it had been that wide from the beginning: neighbours
// become one. It has an even number of bins.
SPMD_TEST(Timeline, WideningLosesNothing) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 100; ++run) {
    Timeline grows(7), wide(8);
    wide.widen(1024 << 10);
    uint64_t all = 0, end = 0;
    for (int i = 0; i < 50; ++i) {
      const uint64_t begin = end + random() % 5'000;
      end = begin + random() % 100'000;
      grows.add(begin, end);
      wide.add(begin, end);
      all += end - begin;
    }
    EXPECT_GE(grows.width() * 8, end);
    EXPECT_LT(grows.width() * 4, end);
    EXPECT_EQ(sum(grows), all);
    grows.widen(wide.width());
    EXPECT_EQ(covered(grows), covered(wide));
  }
}

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
