// The cooperative scheme: a place is one rank, and victims answer thieves
// between two of their own tasks.
//
// Source: hybrid_glb_apgas18 §2.2 (GLB).

#ifndef MAGPIE_IMPL_GLB_LIFELINE_COOPERATIVE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_COOPERATIVE_H_

#include <algorithm>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"
#include "impl/glb_lifeline/lifeline_scheme.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// The load balancer of a place of one rank.
//
// Thread safety: belongs to one rank.
template <typename Task>
class Cooperative : public PlaceBalancer {
 public:
  // With the paper's n `tasks_per_step`; `backoff` is the longest pause, in
  // polls of the network.
  Cooperative(int tasks_per_step, int backoff, OwnPlace& own,
              LifelineScheme<Task>& scheme)
      : PlaceBalancer(own),
        tasks_per_step_(tasks_per_step),
        backoff_(backoff),
        scheme_(scheme),
        state_(own.place.number == 0 ? State::kActive : State::kInactive) {}

  // Answers others, after each n tasks of its own.
  template <typename Bag>
  void between_tasks(Bag& bag) {
    if (--until_answer_ > 0) return;
    until_answer_ = tasks_per_step_;
    if (scheme_.is_asked()) [[unlikely]]
      serve(bag);
  }

  // Gets tasks for the dry bag. False: the run is over.
  template <typename Bag>
  bool when_dry(Bag& bag) {
    const trace::Idle idle;
    const uint64_t begin = rma::now();
    bool has_tasks = steal(bag);
    while (!has_tasks && is_restarted(bag))
      has_tasks = !bag.empty() || steal(bag);
    scheme_.leave_attempt();
    scheme_.was_idle_since(begin);
    return has_tasks;
  }

  // Begins a new run; the root's rank does so before others know of it.
  // REQUIRES: the last one is over.
  void begin_next() {
    scheme_.begin_next();
    if (own_.place.number == 0) state_ = State::kActive;
  }

  // Returns where mail for a rank goes, to its place's manager, and counts it.
  int address_of(int rank) {
    if (rank == rma::rank()) return rank;
    const Place to = own_.places.of(rank);
    scheme_.sends_task(to.number);
    return to.manager();
  }
  void mail_taken() {
    scheme_.receives_task();
    state_ = State::kActive;
  }
  template <typename Bag>
  void while_others_wait(Bag& bag) {
    serve(bag);
  }

  const SchedulerStats& stats() const { return scheme_.stats(); }

 private:
  // kInactive: place 0 knows that this rank has no task; only loot on a
  // lifeline, or mail, changes that.
  enum class State : uint8_t { kActive, kInactive };

  // Tries w random victims, then z lifeline buddies, and goes inactive when all
  // these attempts have returned unsuccessfully. True: there are tasks.
  template <typename Bag>
  bool steal(Bag& bag) {
    if (state_ == State::kInactive) return false;
    if (await_answer(bag)) return true;  // of a victim that was asked before
    for (const int victim : scheme_.random_victims()) {
      scheme_.ask(victim);
      if (await_answer(bag)) return true;
    }
    scheme_.ask_buddies();
    while (!scheme_.report()) {
      if (await_answer(bag)) return true;
      rma::idle();
    }
    state_ = State::kInactive;
    return false;
  }

  // Serves others until its last request is answered. True: there are tasks,
  // maybe of somebody else.
  template <typename Bag>
  bool await_answer(Bag& bag) {
    while (true) {
      serve(bag);
      if (!bag.empty()) return true;
      if (!scheme_.awaits_answer()) return false;
      rma::idle();
    }
  }

  // Waits inactively until loot, or mail, has come, of which others may have
  // taken all again. False: the run is over.
  template <typename Bag>
  bool is_restarted(Bag& bag) {
    for (int pause = 1;; pause = std::min(pause + 1, backoff_)) {
      serve(bag);
      if (state_ == State::kActive) return true;
      scheme_.end_run_if_over();
      if (own_.end.poll()) return false;
      rma::idle(pause);
    }
  }

  // Takes what has come, and answers the places that wait.
  template <typename Bag>
  void serve(Bag& bag) {
    if (scheme_.receive(bag)) state_ = State::kActive;
    scheme_.send_loot(bag);
    bag.take_mail();  // after the loot: the youngest task is run first
    bag.offer_all();
    scheme_.settle();
    rma::flush_all();
  }

  const int tasks_per_step_;
  const int backoff_;
  LifelineScheme<Task>& scheme_;
  State state_;
  int until_answer_ = 1;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_COOPERATIVE_H_
