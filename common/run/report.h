// What a run tells about itself. Filled on rank 0, summed over all ranks.

#ifndef MAGPIE_COMMON_RUN_REPORT_H_
#define MAGPIE_COMMON_RUN_REPORT_H_

#include <cstdint>
#include <string>

#include "common/rma/counters.h"
#include "common/stealing/scheduler_stats.h"

namespace magpie {

struct RunReport {
  const char* runtime = "";
  const char* backend = "";
  // The machine that is simulated; empty on other networks.
  std::string machine;
  int ranks = 0;
  // The time from the root's start to its end, on rank 0's clock.
  double seconds = 0;
  // The rank on which the root ended.
  int root_ended_on = 0;
  // The most of the region that was in use on any rank: "stack usage" in hpdc15
  // Table 4.
  uint64_t region_bytes_max = 0;
  SchedulerStats stats;
  // Of the parts that the runtime is composed of.
  OwnCounts own_counts;
  // Operations from the run's beginning to its end, without start-up and
  // teardown.
  rma::OpCounters rma;
};

// Adds up the ranks' parts into *report, on all ranks alike. The caller has set
// the rank's own region_bytes_max, of which the report gets the most, and
// own_counts, of which it gets the totals; and sets runtime, seconds and
// root_ended_on itself. Collective.
void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            RunReport* report);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_REPORT_H_
