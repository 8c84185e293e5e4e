// Counts of a scheduler: the columns of cluster22 Table II, icpp21 Fig. 8 and
// hpdc15 Table 4 that all have in common, and those of one part alone.

#ifndef MAGPIE_COMMON_TRACE_SCHEDULER_STATS_H_
#define MAGPIE_COMMON_TRACE_SCHEDULER_STATS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace magpie {

// Counts of one part of one rank, of a rank, or of all ranks: each part counts
// what it sees, and they are added up. Only 64-bit numbers, so that
// rma::reduce can do so.
struct SchedulerStats {
  // Tasks created and ended, without the root; equal at the end of a run.
  uint64_t spawns = 0;
  uint64_t deaths = 0;

  // Attempts to steal; the time in those that took something, and the time in
  // those that did not and between attempts.
  uint64_t steals_ok = 0;
  uint64_t steals_failed = 0;
  uint64_t steal_ns = 0;
  uint64_t search_ns = 0;
  // Time in which the rank had no task to run, and looked or waited for one:
  // the two above, and what a balancer waits besides.
  uint64_t idle_ns = 0;
  // Bytes of descriptors or frames that thieves copied, and the time that took.
  uint64_t stolen_bytes = 0;
  uint64_t task_copy_ns = 0;

  // Joins that had to suspend (cluster22 §II-B), and the time from when both
  // sides had arrived to the resumption (§V-B).
  uint64_t outstanding_joins = 0;
  uint64_t outstanding_join_ns = 0;

  SchedulerStats operator+(const SchedulerStats& other) const {
    using Numbers =
        std::array<uint64_t, sizeof(SchedulerStats) / sizeof(uint64_t)>;
    Numbers sum = std::bit_cast<Numbers>(*this);
    const Numbers more = std::bit_cast<Numbers>(other);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    return std::bit_cast<SchedulerStats>(sum);
  }
};

// Count besides those: of one part, a column that reports have where the part
// is composed in; or of one rank, an argument of its run in a trace.
struct OwnCount {
  enum Total { kSum, kMost };

  // Name of the column, a literal.
  const char* name;
  // Count of one rank, or the total of all.
  uint64_t value;
  Total total = kSum;
};
// Own counts, the same ones on every rank, in the same order.
using OwnCounts = std::vector<OwnCount>;

}  // namespace magpie

#endif  // MAGPIE_COMMON_TRACE_SCHEDULER_STATS_H_
