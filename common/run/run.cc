#include "common/run/run.h"

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"

namespace magpie {
namespace {

// Words for a fork-join run that does not balance: the futures are the
// program's.
std::string unbalanced(const Balance& all) {
  return absl::StrCat(
      "at the end of the run ", all.spawned, " tasks were spawned, ", all.ended,
      " ended, ", all.unclaimed, " were neither joined nor discarded, ",
      all.waiting,
      " still wait; each future is to be joined or discarded once");
}

// Words for a pool's run that does not balance: the tasks are the pool's.
std::string unbalanced_pool(const Balance& all) {
  return absl::StrCat("at the end of the run ", all.spawned,
                      " tasks were added and ", all.ended,
                      " were run: a pool runs each once, and ends when no task "
                      "is left on any rank");
}

}  // namespace

void check_balance(const Balance& mine, Facade facade) {
  uint64_t totals[] = {mine.spawned, mine.ended, mine.unclaimed, mine.waiting};
  rma::reduce(totals, std::size(totals), rma::Reduction::kSum);
  const Balance all = {totals[0], totals[1], totals[2], totals[3]};
  if (all.spawned == all.ended && all.unclaimed == 0 && all.waiting == 0)
    return;
  if (rma::rank() == 0) {
    rma::fatal(facade == Facade::kPool ? unbalanced_pool(all)
                                       : unbalanced(all));
  }
  rma::barrier();  // rank 0 ends the job
}

namespace internal {

const char* mistaken_call(Facade facade) {
  return facade == Facade::kPool
             ? "this is a run of run_pool(): add, merge and pool_root are for "
               "the root and for tasks, and prepare() runs before them; spawn, "
               "join and root_task are for tasks of run()"
             : "this is a run of run(): spawn, join and root_task are for "
               "tasks, and prepare() runs before them; add, merge and "
               "pool_root are for tasks of run_pool()";
}

std::vector<trace::Mark> marks_of(const SchedulerStats& stats,
                                  const Balance& balance,
                                  uint64_t region_bytes_max,
                                  const OwnCounts& own_counts) {
  std::vector<trace::Mark> marks = {
      {"spawns", stats.spawns},
      {"deaths", stats.deaths},
      {"unclaimed", balance.unclaimed},
      {"waiting", balance.waiting},
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
