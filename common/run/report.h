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
  // That is simulated; else empty.
  std::string machine;
  int ranks = 0;
  // From the root's start to its end, on rank 0's clock.
  double seconds = 0;
  // The rank.
  int root_ended_on = 0;
  // hpdc15 Table 4, "stack usage": the most on any rank.
  uint64_t region_bytes_max = 0;
  // Of tasks, in use at once, the most on any rank; 0 where they have none of
  // their own.
  uint64_t stacks_max = 0;
  SchedulerStats stats;
  // Without start-up and teardown.
  rma::OpCounters rma;
};

// Adds up the ranks' parts into *report, on all ranks alike; of the members
// that end in _max, which the caller has set, it takes the most. Collective.
// The caller sets the others: runtime, seconds, root_ended_on.
void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            RunReport* report);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_REPORT_H_
