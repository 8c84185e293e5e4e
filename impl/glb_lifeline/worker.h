// A worker of a place of several ranks while it has no tasks: it takes those of
// the place's other ranks, the manager's too. When there are none it *parks*:
// it only looks, until one of them offers some again.
//
// Source: hybrid_glb_apgas18 §4, where Java's ForkJoinPool does it.
//
// Thread safety: an instance belongs to a worker. Invariants:
//   1. The place's word `busy` counts the workers that are not parked, and
//      the tasks that one worker of the place has added for another and that
//      are not yet in the other's bag.
//   2. A worker parks with no task, and nothing that others would have to wait
//      for. A parked one claims nothing: first it is counted
//      again.
//   3. Before it parks, a worker has told its manager what it has sent to
//      managers.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_
#define MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/victim_selection.h"
#include "common/trace/scheduler_stats.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/steal_counts.h"

namespace magpie::glb {

// Memory that the workers of a place and its manager have in common.
struct PlaceShared {
  // Collective.
  explicit PlaceShared(const Place& place)
      : busy(rma::allocate<rma::Word>(1, "busy workers").at(place.manager())),
        wants_all(rma::allocate<rma::Word>(1, "wants all")) {
    if (rma::rank() == busy.rank)
      *busy.local() = rma::Word(static_cast<uint64_t>(place.workers()));
    *wants_all.local() = rma::Word(1);
  }

  static size_t heap_bytes() {
    return 2 * rma::allocated_bytes<rma::Word>() + CountsInbox::heap_bytes();
  }

  // Number of workers that may have tasks (Worker, invariant 1); the manager's.
  const rma::RemotePtr<rma::Word> busy;
  // A word of each worker, which its manager sets: the worker is to offer all
  // its tasks to thieves, once. At first all places but one wait for tasks.
  const rma::RemotePtr<rma::Word> wants_all;
  // Counts of tasks that workers have sent to other places.
  CountsInbox sent;
};

class Worker : public PlaceBalancer {
 public:
  // Collective; also on ranks that are no workers, where it is not used.
  Worker(const SearchOptions& options, OwnPlace& own)
      : PlaceBalancer(own),
        search_(options, own.place.ranks, own.place.ranks.first,
                own.place.workers()),
        shared_(own.place),
        own_wants_all_(shared_.wants_all.local()) {}

  static size_t heap_bytes() {
    return Search<RandomVictim>::heap_bytes() + PlaceShared::heap_bytes();
  }

  PlaceShared& shared() { return shared_; }

  // Offers all tasks to thieves where the manager asks for it. Cost: none where
  // it does not.
  template <typename Bag>
  void before_task(Bag& bag) const {
    if (own_wants_all_->load() != 0 && bag.offer_all())
      own_wants_all_->store_relaxed(0);
  }

  // Takes tasks of the place's. False: the run is over.
  template <typename Bag>
  bool when_dry(Bag& bag) {
    int failures = 0;
    const auto over = [&] {
      if (!is_parked_ && failures >= 2 * own_.place.ranks.size) park();
      return bag.has_mail() || own_.end.poll();
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
      if (victim == own_.place.manager() && outcome == Outcome::kTaken) {
        rma::flush(victim);
        wake_manager(own_.place);
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
    own_.end.begin_next();
    if (is_parked_) unpark();
  }

  // Returns where mail for a rank goes, and counts it: to itself or, in another
  // place, to its manager. Cost: for another worker of the place 1 fetch_add.
  int address_of(int rank) {
    if (rank == rma::rank()) return rank;
    const Place to = own_.places.of(rank);
    if (to.number == own_.place.number && rank != to.manager()) {
      rma::fetch_add(shared_.busy, 1);
      return rank;
    }
    sends_to_place(to.number);
    return to.manager();
  }
  void sends_to_place(int place) { counts_.add(place, 1); }
  // Counts that a task of a neighbour's is here.
  void mail_taken() const { rma::fetch_add(shared_.busy, ~uint64_t{0}); }

  bool hooks_adds() const { return search_.hooks_spawns(); }
  template <StealableQueue Queue>
  void after_push(Queue& queue) const {
    search_.after_push(queue);
  }
  SchedulerStats stats() const { return search_.stats(); }

 private:
  void park() {
    rma::flush_all();
    if (!counts_.all_zero()) {
      shared_.sent.send(own_.place.manager(), counts_, own_.place.number);
      counts_.clear();
    }
    while (!shared_.sent.settle()) {
      wake_manager(own_.place);
      rma::idle();
    }
    rma::fetch_add(shared_.busy, ~uint64_t{0});
    is_parked_ = true;
    wake_manager(own_.place);
  }
  void unpark() {
    rma::fetch_add(shared_.busy, 1);
    is_parked_ = false;
  }

  Search<RandomVictim> search_;
  PlaceShared shared_;
  rma::Word* const own_wants_all_;
  bool is_parked_ = false;
  // Tasks that it has sent to other places, since it was parked last.
  Counts counts_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_WORKER_H_
