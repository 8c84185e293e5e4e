// What a run tells about itself: the columns of cluster22 Table II, icpp21 Fig.
// 8 and hpdc15 Table 4. Filled by the runtime on rank 0, summed over all ranks.

#ifndef MAGPIE_COMMON_FORK_JOIN_REPORT_H_
#define MAGPIE_COMMON_FORK_JOIN_REPORT_H_

#include <cstdint>
#include <string>

#include "common/rma/counters.h"

namespace magpie {

// Counts of one rank, or their sum. Only 64-bit numbers, so that rma::reduce
// can add them.
struct SchedulerStats {
  uint64_t spawns = 0;  // tasks created, without the root
  uint64_t deaths =
      0;  // tasks ended, without the root; equal to spawns at the end
  uint64_t steals_ok = 0;
  uint64_t steals_failed = 0;
  uint64_t steal_ns = 0;           // in successful steals
  uint64_t search_ns = 0;          // in failed ones and between them
  uint64_t stolen_bytes = 0;       // frames that thieves copied
  uint64_t task_copy_ns = 0;       // in those copies
  uint64_t outstanding_joins = 0;  // joins that had to suspend, cluster22 §II-B
  uint64_t outstanding_join_ns =
      0;  // from when both sides have arrived to the resumption, §V-B
  uint64_t join_losers =
      0;  // joining threads that lost the race: went on in place
  uint64_t die_losers =
      0;  // joined threads that lost the race: resumed the joining one
};

struct RunReport {
  const char* runtime = "";
  const char* backend = "";
  std::string machine;  // that is simulated; else empty
  int ranks = 0;
  double seconds = 0;     // from the root's start to its end, on rank 0's clock
  int root_ended_on = 0;  // the rank
  uint64_t region_bytes_max =
      0;  // hpdc15 Table 4 "stack usage": the most on any rank
  SchedulerStats stats;
  rma::OpCounters rma;  // without start-up and teardown
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_REPORT_H_
