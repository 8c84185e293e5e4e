// What a worker of a place of several ranks does without tasks: it takes those
// of the place's other ranks, the manager's too. When there are none it
// *parks*: it only looks, until one of them offers some again.
//
// Source: hybrid_glb_apgas18 §4, where Java's ForkJoinPool does it.
//
// Thread safety: an instance belongs to a worker. Invariants:
//   1. The manager's word `busy` counts the workers that are not parked, and
//      the tasks that one worker of the place has added for another and that
//      are not yet in the other's bag.
//   2. A worker parks with no task, nor mail, and nothing that others would
//      have to wait for. A parked one claims nothing: first it is counted
//      again.
//   3. Before it parks, a worker has told its manager what it has sent to
//      managers.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_
#define MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/random_victim.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "impl/glb_lifeline/here.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/steal_counts.h"

namespace magpie::glb {

class Worker {
 public:
  // `busy` and `to_manager` are the manager's and this rank's ends of what they
  // have in common. Collective.
  Worker(const Options& options, Here& here, rma::RemotePtr<rma::Word> busy,
         CountsInbox& to_manager)
      : here_(here),
        search_(options.search, here.place.ranks, here.place.ranks.first,
                here.place.workers()),
        busy_(busy),
        to_manager_(to_manager) {}

  static size_t heap_bytes() { return Search<RandomVictim>::heap_bytes(); }

  // Takes tasks of the place's. False: the run is over.
  template <typename Bag>
  bool when_dry(Bag& bag) {
    int failures = 0;
    const auto over = [&] {
      if (!is_parked_ && failures >= 2 * here_.place.ranks.size) park();
      return bag.has_mail() || here_.end.poll();
    };
    const bool found = search_.until(over, [&](int victim) {
      ++failures;
      if (is_parked_) {
        if (bag.offered(victim) == 0) return Outcome::kEmpty;
        unpark();
        failures = 0;
      }
      const Outcome outcome = bag.steal(victim);
      // The manager gets more before these have run.
      if (victim == here_.place.manager() && outcome == Outcome::kTaken) {
        rma::flush(victim);
        Here::wake(here_.place);
      }
      return outcome;
    });
    if (!found && !bag.has_mail()) return false;
    if (is_parked_) unpark();
    return true;
  }

  // Begins a new run. The worker is parked since the last one, or has seen its
  // end when it had just been counted again.
  void begin_next() {
    if (is_parked_) unpark();
  }

  // Count a task that is sent to a place's manager, or to another worker of the
  // own place.
  void sends_to_place(int place) { counts_.add(place, 1); }
  void sends_to_neighbour() const { rma::fetch_add(busy_, 1); }
  // Counts that a task of a neighbour's is here.
  void mail_taken() const { rma::fetch_add(busy_, ~uint64_t{0}); }

  // Takes tasks of the manager's, who may have no room for those of others.
  // Called while a task of this rank waits for room at another place.
  template <typename Bag>
  void while_others_wait(Bag& bag) const {
    bag.steal(here_.place.manager());
    bag.share();
    rma::flush_all();
  }
  template <typename Bag>
  bool others_have_tasks(Bag& bag) const {
    return bag.offered(here_.place.manager()) > 0;
  }

  const Search<RandomVictim>& search() const { return search_; }

 private:
  void park() {
    rma::flush_all();
    if (!counts_.all_zero()) {
      to_manager_.send(here_.place.manager(), counts_);
      counts_.clear();
    }
    while (!to_manager_.settle()) {
      Here::wake(here_.place);
      rma::idle();
    }
    rma::fetch_add(busy_, ~uint64_t{0});
    is_parked_ = true;
    Here::wake(here_.place);
  }
  void unpark() {
    rma::fetch_add(busy_, 1);
    is_parked_ = false;
  }

  Here& here_;
  Search<RandomVictim> search_;
  const rma::RemotePtr<rma::Word> busy_;
  CountsInbox& to_manager_;
  bool is_parked_ = false;
  // Tasks that it has sent to other places, since it was parked last.
  Counts counts_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_
