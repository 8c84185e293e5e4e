#include "common/run/run.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace magpie {

void check_balance(const Balance& mine) {
  uint64_t totals[] = {mine.spawned, mine.ended, mine.unclaimed, mine.waiting};
  rma::reduce(totals, std::size(totals), rma::Reduction::kSum);
  if (totals[0] == totals[1] && totals[2] == 0 && totals[3] == 0) return;
  if (rma::rank() == 0) {
    rma::fatal(absl::StrCat(
        "at the end of the run ", totals[0], " tasks were spawned, ", totals[1],
        " ended, ", totals[2], " were neither joined nor discarded, ",
        totals[3],
        " still wait; each future is to be joined or discarded once"));
  }
  rma::barrier();  // rank 0 ends the job
}

namespace internal {

std::vector<trace::Mark> marks_of(const SchedulerStats& stats,
                                  uint64_t region_bytes_max,
                                  const OwnCounts& own_counts) {
  std::vector<trace::Mark> marks = {
      {"spawns", stats.spawns},
      {"deaths", stats.deaths},
      {"steals_ok", stats.steals_ok},
      {"steals_failed", stats.steals_failed},
      {"outstanding_joins", stats.outstanding_joins},
      {"region_bytes_max", region_bytes_max}};
  for (const OwnCount& count : own_counts)
    marks.push_back({count.name, count.value});
  return marks;
}

}  // namespace internal
}  // namespace magpie
