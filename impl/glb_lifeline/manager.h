// The manager of a place of several ranks: it sends loot to the places that
// have asked, gets some from other places when there are too few tasks, and
// tells place 0 when there are none. It runs no tasks itself.
//
// Source: hybrid_glb_apgas18 §4.1, Listing 5.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_
#define MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"
#include "impl/glb_lifeline/lifeline_scheme.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/worker.h"

namespace magpie::glb {

// The load balancer of the rank, which is never between tasks.
//
// Thread safety: belongs to one rank.
template <typename Task>
class Manager : public PlaceBalancer {
 public:
  // `asks`: other places, for tasks, and does not pull them; `period_ns` is its
  // longest rest.
  Manager(bool asks, uint64_t period_ns, OwnPlace& own,
          LifelineScheme<Task>& scheme, PlaceShared& shared)
      : PlaceBalancer(own),
        shared_(shared),
        asks_(asks),
        period_ns_(period_ns),
        scheme_(scheme),
        state_(own.place.number > 0 ? State::kInactive : State::kEnoughTasks) {}

  // Main loop. Returns false: the run is over.
  template <typename Bag>
  bool when_dry(Bag& bag) {
    const trace::Idle idle;
    const uint64_t run_begin = rma::now();
    uint64_t pause = kShortestRestNs;
    while (!own_.end.poll()) {
      const uint64_t begin = rma::now();
      step(bag);
      own_.manager_ns += rma::now() - begin;
      if (state_ == State::kTriesVictims)
        rma::idle();
      else
        pause = rest(bag, pause);
    }
    scheme_.was_idle_since(run_begin);
    return false;
  }

  // One iteration of Listing 5. Cost: a get for each rank of the place, as many
  // again where another place waits, and what a pull or a request costs; none
  // while it is inactive and nobody asks.
  template <typename Bag>
  void step(Bag& bag) {
    scheme_.collect(shared_.sent);
    if (scheme_.receive(bag)) wake();
    scheme_.send_loot(bag);  // line 2
    bag.take_mail();
    bag.offer_all();
    if (state_ != State::kInactive) {
      if (!has_enough_tasks(bag))  // line 3
        try_to_steal(bag);         // line 4
      else
        wake();
      if (all_potential_victims_were_contacted() &&               // line 6
          all_tasks_have_been_executed(bag) && scheme_.report())  // line 7
        state_ = State::kInactive;                                // line 8
    }
    scheme_.settle();
    ask_workers();
    if (state_ == State::kInactive) scheme_.end_run_if_over();
    rma::flush_all();
  }

  // Begins a new run, in which the worker that runs the root is busy already.
  void begin_next() {
    scheme_.begin_next();
    if (own_.place.number == 0) wake();
  }

  // Counts the receipt of a task that another place has added.
  void mail_taken() {
    scheme_.receives_task();
    wake();
  }

  const SchedulerStats& stats() const { return scheme_.stats(); }

 private:
  enum class State : uint8_t {
    kEnoughTasks,   // line 3
    kTriesVictims,  // line 4: w random ones, one a step
    kContactedAll,  // line 6: those, and z lifeline buddies
    kInactive,      // line 8: only receipts that are counted change that
  };

  // One, in the paper. Here owners take back half of what they have offered
  // before thieves come.
  static constexpr int kPerWorker = 4;
  static constexpr uint64_t kMostPeriods = 64;
  static constexpr uint64_t kShortestRestNs = 16'000;
  static constexpr uint64_t kThiefsRestNs = 2'000'000;

  // Whether at least kPerWorker tasks for each worker are left to take, or the
  // manager's own queue has no room for more.
  template <typename Bag>
  bool has_enough_tasks(Bag& bag) {
    const auto wanted =
        static_cast<uint64_t>(kPerWorker * own_.place.workers());
    return bag.overflows() || !scheme_.offers_less_than(wanted, bag);
  }

  // Tries one random victim; when all of them had nothing, asks all buddies.
  template <typename Bag>
  void try_to_steal(Bag& bag) {
    if (scheme_.awaits_answer()) return;
    // After a while it tries again: workers may run their last tasks for long.
    if (state_ == State::kEnoughTasks ||
        (state_ == State::kContactedAll && rma::now() >= try_again_at_)) {
      victims_ = scheme_.random_victims();
      state_ = State::kTriesVictims;
    }
    if (state_ != State::kTriesVictims) return;
    if (victims_.empty()) {
      scheme_.ask_buddies();
      state_ = State::kContactedAll;
      try_again_at_ = rma::now() + pause_ns_;
      pause_ns_ = std::min(2 * pause_ns_, kMostPeriods * period_ns_);
      return;
    }
    const int victim = victims_.back();
    victims_.pop_back();
    if (asks_)
      scheme_.ask(victim);
    else if (scheme_.pull(bag, victim))
      wake();
  }
  bool all_potential_victims_were_contacted() const {
    return state_ == State::kContactedAll;
  }

  // Looks in this order: a worker that has a task out of the own queue is busy;
  // one that is not busy has told what it has sent.
  template <typename Bag>
  bool all_tasks_have_been_executed(Bag& bag) {
    if (!bag.empty() || shared_.busy.local()->load() > 0) return false;
    scheme_.collect(shared_.sent);
    return true;
  }

  // Makes the next search begin anew: there are tasks.
  void wake() {
    state_ = State::kEnoughTasks;
    pause_ns_ = period_ns_;
  }

  // Makes the workers offer all that they have where others wait for some:
  // their queues offer by themselves no more than half, and nothing new as long
  // as the last offer is not taken. Cost: a put to each worker.
  void ask_workers() {
    if (!scheme_.is_asked()) return;
    for (int i = 0; i < own_.place.workers(); ++i)
      rma::put_word(shared_.wants_all.at(own_.place.ranks.rank(i)), 1);
  }

  // Rests (line 10) for `pause`, or until it is woken, which a manager is for
  // all but tasks that its own workers add. Events come in bursts, as when a
  // place runs out of tasks: so the rest after a wake is short, and so is that
  // of a manager whose queue offers its tasks bit by bit, or whose report waits
  // for room. Each further rest is twice as long, up to the period, or to two
  // milliseconds where another place waits for tasks. Returns the next pause.
  template <typename Bag>
  uint64_t rest(Bag& bag, uint64_t pause) const {
    const bool is_short =
        state_ == State::kTriesVictims || state_ == State::kContactedAll;
    if ((is_short && !bag.empty()) || bag.has_mail() || scheme_.has_to_report())
      pause = kShortestRestNs;
    if (scheme_.is_asked()) pause = std::min(pause, kThiefsRestNs);
    pause = std::min(pause, period_ns_);
    const uint64_t begin = rma::now();
    rma::rest(pause);
    const bool is_woken = rma::now() - begin < pause;
    return is_woken ? kShortestRestNs : 2 * pause;
  }

  PlaceShared& shared_;
  const bool asks_;
  const uint64_t period_ns_;
  LifelineScheme<Task>& scheme_;
  State state_;
  // Random victims that it has still to try.
  std::vector<int> victims_;
  // Time when a place whose workers run their last tasks tries random victims
  // again, and the pause after that.
  uint64_t try_again_at_ = 0;
  uint64_t pause_ns_ = period_ns_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_
