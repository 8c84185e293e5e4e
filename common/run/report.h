// Figures that a run tells about itself. Filled on rank 0, summed over all
// ranks.

#ifndef MAGPIE_COMMON_RUN_REPORT_H_
#define MAGPIE_COMMON_RUN_REPORT_H_

#include <cstdint>
#include <string>

#include "common/rma/counters.h"
#include "common/trace/scheduler_stats.h"

namespace magpie {

// The facade of a run's tasks: common/fork_join, or common/task_pool.
enum class Facade : uint8_t { kForkJoin, kPool };

// The least and the greatest of all ranks' numbers.
struct Spread {
  uint64_t least = 0;
  uint64_t most = 0;
};

// Evenness of the spread of the work over the ranks.
struct PerRank {
  // Tasks that ended on a rank, without the root.
  Spread tasks;
  Spread steals_ok;
  // Parts of the rank's time in the run: without tasks, when it looks or waits
  // for them; and the rest.
  Spread idle_ns;
  Spread busy_ns;
};

// Own counts of those parts that have a member own_counts(), one part after the
// other.
template <typename... Parts>
OwnCounts own_counts_of(const Parts&... parts) {
  OwnCounts all;
  const auto append = [&all](const auto& part) {
    if constexpr (requires { part.own_counts(); }) {
      for (const OwnCount& count : part.own_counts()) all.push_back(count);
    }
  };
  (append(parts), ...);
  return all;
}

struct RunReport {
  Facade facade = Facade::kForkJoin;
  const char* runtime = "";
  const char* backend = "";
  // The machine that is simulated; empty on other networks.
  std::string machine;
  int ranks = 0;
  // The time from the root's start to its end, on rank 0's clock.
  double seconds = 0;
  // Greatest number of bytes of the region in use at once, over all ranks:
  // "stack usage" in hpdc15 Table 4.
  uint64_t region_bytes_max = 0;
  SchedulerStats stats;
  PerRank per_rank;
  // Sums over all ranks of their time in the run, and of its busy part.
  uint64_t run_ns = 0;
  uint64_t busy_ns = 0;
  // Counts by the parts that the runtime is composed of.
  OwnCounts own_counts;
  // Operations from the run's beginning to its end, without start-up and
  // teardown.
  rma::OpCounters rma;
};

// Adds up the ranks' parts into *report, on all ranks alike. Before, the caller
// has set the rank's own region_bytes_max, of which the report gets the
// greatest, own_counts, of which it gets the totals, and run_ns, its time in
// the run. The caller sets facade, runtime and seconds itself.
// Collective.
void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            RunReport* report);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_REPORT_H_
