// Putting a RunReport together, for runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_RUN_REPORT_H_
#define MAGPIE_COMMON_FORK_JOIN_RUN_REPORT_H_

#include "common/fork_join/report.h"

namespace magpie {

// Adds up the ranks' parts into *report, on all ranks alike. Collective. The
// caller sets the members that are no sums: seconds, root_ended_on.
void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            uint64_t region_bytes_max, RunReport* report);

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_RUN_REPORT_H_
