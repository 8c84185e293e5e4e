#include "common/rma/sim/engine/diagnosis.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine/log.h"

namespace magpie::rma::sim {

std::string Diagnosis::state_of(const Rank& rank) const {
  switch (rank.doing) {
    case Doing::kNotStarted:
      return "has not started";
    case Doing::kRunning:
      return "runs";
    case Doing::kRunnable:
      return "could go on";
    case Doing::kIdle:
      return "polls, in idle()";
    case Doing::kOperation:
      return absl::StrCat("waits for a ",
                          describe(*rank.operation, memory_.region_bytes()));
    case Doing::kFlush: {
      const int target = rank.unflushed.target();
      return absl::StrCat(
          "waits in a flush for ", rank.unflushed.awaited(), " operations to ",
          target == kAllTargets ? "all ranks" : absl::StrCat("rank ", target));
    }
    case Doing::kCollective:
      return absl::StrCat("waits in a ", Collective::name(collective_.call()),
                          ", where ", collective_.entered(), " of ",
                          ranks_.size(), " ranks are");
    case Doing::kEnded:
      return "has ended";
  }
  return "";
}

// Each state with its ranks: of many ranks, the first few.
void Diagnosis::end_job(const char* what, Time now) const {
  constexpr size_t kMostLines = 64, kMostOfAState = 8;
  const auto living = std::count_if(
      ranks_.begin(), ranks_.end(),
      [](const Rank& rank) { return rank.doing != Doing::kEnded; });
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %s, at %s; %td of %zu ranks have not ended%s\n",
               what, describe(now).c_str(), living, ranks_.size(),
               hint_.c_str());
  std::map<Doing, size_t> seen;
  std::map<Doing, const Rank*> last;
  for (const Rank& rank : ranks_) {
    last[rank.doing] = &rank;
    if (++seen[rank.doing] > kMostOfAState && ranks_.size() > kMostLines)
      continue;
    const bool in_region = memory_.in_region(rank.context);
    std::fprintf(stderr, "magpie:   rank %d at %s %s%s\n", rank.self.rank,
                 describe(rank.clock).c_str(), state_of(rank).c_str(),
                 rank.doing == Doing::kEnded ? ""
                 : in_region                 ? ", in a task"
                                             : ", outside tasks");
  }
  for (const auto& [doing, count] : seen) {
    if (count <= kMostOfAState || ranks_.size() <= kMostLines) continue;
    std::fprintf(stderr, "magpie:   and %zu more, as rank %d, which %s\n",
                 count - kMostOfAState, last[doing]->self.rank,
                 state_of(*last[doing]).c_str());
  }
  std::fflush(stderr);
  _exit(1);
}

}  // namespace magpie::rma::sim
