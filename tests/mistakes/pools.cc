// Mistakes that users of pools make with what only pools have: tasks that
// nobody joins, places to add them at, results that are merged, flags; and uses
// that are no mistakes.

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "absl/strings/match.h"
#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/pool.h"

namespace magpie::mistakes {
using namespace pool;
namespace {

// ------------------------------------------------------------- tasks, and bags

MISTAKE(in_task, rank_below, kTold,
        "rank \\d: add_at\\(-1\\): there are ranks 0 to 1$") {
  add_at(-1, [] {});
}
MISTAKE(in_task, rank_beyond, kTold,
        "rank \\d: add_at\\(2\\): there are ranks 0 to 1$") {
  add_at(rma::size(), [] {});
}

struct Small {
  static constexpr uint32_t kTaskBytes = 8;
  void operator()() const {
    const std::array<uint64_t, 2> two = {1, 2};
    add([two] { merge(two[0]); });
  }
};
LISTED(run_root<Small>, too_large, kTold,
       "rank 0: a task, .*Small.*, has 16 bytes, and the root's kTaskBytes is "
       "8$");

MISTAKE(in_task, by_reference_elsewhere, kTold, kStack) {
  long sum = 0;
  add_at(1, [&] { sum += 1; });
}

// -------------------------------------------------------------------- results

const std::string kOfALong =
    "\\(\\) of a value of type double, where run_pool has a result of type "
    "unsigned long$";

MISTAKE(in_run_with_result, another_type, kTold, "rank \\d: merge" + kOfALong) {
  merge(1.5);
}
MISTAKE(in_task, no_type, kTold,
        "rank \\d: merge\\(\\) of a value of type double, where run_pool was "
        "given no result$") {
  merge(1.5);
}
MISTAKE(in_run_with_result, merge_beyond_the_only_one, kTold,
        "rank \\d: merge\\(\\) of value 1: the result has one value, at 0$") {
  merge_at(1, uint64_t{1});
}
MISTAKE(in_run_with_result, partial_of_another_type, kTold,
        "rank \\d: partial" + kOfALong) {
  partial<double>() = 1;
}
MISTAKE(in_prepare, prepare_merges, kTold, kTooEarly) { merge(uint64_t{1}); }
MISTAKE(in_run_with_result, thread_merges, kTold,
        "merge was called by a thread of the program's own: it is for the root "
        "and for tasks$",
        kOneRank) {
  std::thread([] { merge(uint64_t{1}); }).join();
}
MISTAKE(after_run, merge_after_run, kTold, "outside a run") {
  merge(uint64_t{1});
}
MISTAKE(after_run, add_at_after_run, kTold, "outside a run") {
  add_at(0, [] {});
}

// A root that says that its result has so many values.
template <typename Count, Count kSaid>
struct Values {
  Count result_count() const { return kSaid; }
  void operator()() const {
    add([] { merge_at(7, uint64_t{1}); });
  }
};
template <auto kSaid>
int says_values(CommandLine line) {
  std::array<uint64_t, 8> results = {};
  return run_pool(line.argc, line.argv, Values<decltype(kSaid), kSaid>{},
                  results.data());
}
LISTED(says_values<7>, merge_beyond, kTold,
       "rank \\d: merge\\(\\) of value 7: the result has values at 0 to 6$");
LISTED(says_values<0>, no_values, kRefused,
       "result_count\\(\\) of the root task says 0: a result has a value at "
       "least",
       kOneRank);
LISTED(says_values<-1>, values_below_none, kRefused,
       "result_count\\(\\) of the root task says 18446744073709551615: no "
       "machine has room for these",
       kOneRank);
LISTED(says_values<(uint64_t{1} << 50)>, values_beyond_memory, kRefused,
       "memory|smaller segments", kOneRank);

// Throws where two partial results meet.
struct NoRoom {
  void merge(const NoRoom&) { throw std::runtime_error("no room"); }
};
template <bool kMerges>
int throws_on_merge(CommandLine line) {
  NoRoom result;
  return run_pool(
      line.argc, line.argv,
      [] {
        add([] {
          if (kMerges) merge(NoRoom{});
        });
      },
      &result);
}
LISTED(throws_on_merge<false>, reduction_throws, kTold,
       "rank \\d: an exception left the merging of results: no room$");
LISTED(throws_on_merge<false>, reduction_of_one, kWell, "", kOneRank);
LISTED(throws_on_merge<true>, merge_throws, kTold,
       "rank \\d: an exception left a task, .*: no room$", kOneAndTwo);

// ----------------------------------------------------------- static variables

// The words say on which rank: where the task ran, which may be stolen from the
// rank that it was added at.
MISTAKE(in_task, globals_elsewhere, kDebug ? kWarned : kGoesOn,
        "^ran on rank (\\d)\\n(.*\\n)*magpie: rank \\1: warning: tasks have "
        "written static variables",
        kTwoRanks, ranks_run_their_mail) {
  static long written = 0;
  std::fprintf(stderr, "ran on rank %d\n", rma::rank());
  ++written;
  seen(written);
}

// ---------------------------------------------------------------------- flags

void nothing() {}
constexpr auto runs = in_root<nothing>;

LISTED(runs, radix_of_one, kRefused,
       "--lifeline_radix=1: allowed: 2 to 1073741824, or 0 for as needed$",
       "--ranks=2 --lifeline_radix=1");

// As many places as a stealval tells apart.
bool has_stealvals() {
  const std::string pool = kPool.name;
  return absl::StrContains(pool, "sws") || pool == "pool_glb_hybrid";
}
template <uint32_t kBytes>
struct TasksOf {
  static constexpr uint32_t kTaskBytes = kBytes;
  void operator()() const {}
};
LISTED(run_root<TasksOf<192>>, queue_of_a_stealval, kWell, "",
       "--ranks=1 --queue_bytes=100M", has_stealvals);
LISTED(run_root<TasksOf<192>>, queue_beyond_a_stealval, kRefused,
       "--queue_bytes: 102401K is not a size from 1K to 100M ",
       "--ranks=2 --queue_bytes=102401K", has_stealvals);
LISTED(run_root<TasksOf<24>>, queue_of_small_tasks_beyond_a_stealval, kRefused,
       "--queue_bytes: 64G is not a size from 1K to 16M ",
       "--ranks=1 --queue_bytes=64G", has_stealvals);

// Values of flags that are refused, and the words that say what is allowed.
const bool kRefusalsListed = list_refusals(
    runs, {{"--queue_bytes", "0", "a size from 1K to \\d+[MG] "},
           {"--inbox_bytes", "0", "a size from 1 to 64G"},
           {"--backoff", "0", "an integer from 1 to 1048576$"},
           {"--random_victims", "-1", "an integer from 0 to 1024$"},
           {"--lifeline_radix", "2.5", "an integer from 0 to 1073741824$"},
           {"--lifeline_dimension", "31", "an integer from 0 to 30$"},
           {"--loot_bytes", "0", "a size from 1 to 1G"},
           {"--static_bytes", "0", "a size from 1 to 64G"},
           {"--tasks_per_step", "0", "an integer from 1 to 1073741824$"},
           {"--workers_per_place", "1048577", "an integer from 0 to 1048576$"},
           {"--steal_by", "pushing", "one of auto, pulling, asking$"},
           {"--period_us", "10000001", "an integer from 1 to 10000000$"}});

}  // namespace
}  // namespace magpie::mistakes
