// Measures a manager's attempts to steal from other places. One is under way at
// a time, and may last for several steps, when the victim is to answer.
//
// Thread safety: an instance belongs to one rank.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_ATTEMPT_H_
#define MAGPIE_IMPL_GLB_LIFELINE_ATTEMPT_H_

#include <cstdint>
#include <optional>

#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie::glb {

class Attempt {
 public:
  Attempt() {
    rma::self().status->show("steals from places", stats_.steals_ok);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Begins an attempt. `victim`: the manager of the place that is asked or
  // robbed.
  void begin(int victim) {
    victim_ = victim;
    scope_.emplace();
  }
  // Counts bytes of tasks that have come.
  void brings(uint64_t bytes) {
    if (scope_) trace::stole(bytes, stats_.stolen_bytes);
  }
  void end(bool got_some) {
    if (!scope_) return;
    const trace::About whom = {.rank = victim_};
    if (got_some) {
      ++stats_.steals_ok;
      scope_->end(trace::Event::kSteal, stats_.steal_ns, whom);
    } else {
      ++stats_.steals_failed;
      scope_->end(trace::Event::kFailedSteal, stats_.search_ns, whom);
    }
    scope_.reset();
  }
  // Gives up waiting for its end: the rank has found tasks elsewhere.
  void leave() {
    if (scope_) scope_->end(trace::Event::kSearch, stats_.search_ns);
    scope_.reset();
  }

  // steals_ok, steals_failed, steal_ns, search_ns, stolen_bytes.
  const SchedulerStats& stats() const { return stats_; }

 private:
  std::optional<trace::Scope> scope_;
  int victim_ = 0;
  SchedulerStats stats_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_ATTEMPT_H_
