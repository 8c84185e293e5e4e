// Requests to random victims that answer themselves: the cooperative form, of
// places whose tasks nobody else can take.
//
// Each manager has one word, for one request at a time. A thief adds an
// attempt; who has made the first one adds its number, and is answered with a
// load, maybe an empty one. All others know at once that they got nothing.
//
// Source: hybrid_glb_apgas18 §2.2 ("rejects"); GLB's victims have a queue of
// requests, ours is as long as one.
//
// Thread safety: an instance belongs to a place's manager; `request` is added
// to by others. Invariants:
//   1. The low half of `request` counts attempts, the high half is the thief
//      that waits, plus one. It is changed by atomics only.
//   2. The high half is added to by the one whose attempt was the first since
//      the owner cleared the word; the owner does so when both are there.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_
#define MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie::glb {

class Requests {
 public:
  // Collective.
  Requests() : request_(rma::allocate<rma::Word>()), own_(request_.local()) {
    rma::name_words(request_, "request");
  }

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Asks the manager `victim`, which then sends a load. False: it answers
  // somebody else. Cost: fetch_add; one more where it is true.
  // REQUIRES: !awaits_answer().
  bool ask(int victim) {
    if (rma::fetch_add(request_.at(victim), 1) != 0) return false;
    awaits_answer_ = true;
    rma::fetch_add(request_.at(victim), (static_cast<uint64_t>(rma::rank()) + 1)
                                            << kShift);
    return true;
  }

  // Whether the caller was not answered yet; answered() says that it was.
  bool awaits_answer() const { return awaits_answer_; }
  void answered() { awaits_answer_ = false; }

  // The manager that waits for an answer; -1: none. Cost: none.
  int thief() const { return static_cast<int>(own_->load() >> kShift) - 1; }
  // Says that the thief is answered: the next may ask. Cost: 1 swap.
  void clear() const { rma::swap(request_, 0); }

 private:
  static constexpr int kShift = 32;

  const rma::RemotePtr<rma::Word> request_;
  const rma::Word* const own_;
  bool awaits_answer_ = false;
};

// Measures a manager's attempts to steal from other places. One is under way at
// a time, and may last for several steps, when the victim is to answer.
//
// Thread safety: an instance belongs to one rank.
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

#endif  // MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_
