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

}  // namespace magpie
