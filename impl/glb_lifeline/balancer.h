// The load balancer of lifeline pools: a rank is a worker of its place, or its
// manager, or both, where it is alone there.
//
// Source: hybrid_glb_apgas18 §2.2 and §4.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_BALANCER_H_
#define MAGPIE_IMPL_GLB_LIFELINE_BALANCER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/stealable_queue.h"
#include "common/trace/scope.h"
#include "impl/glb_lifeline/here.h"
#include "impl/glb_lifeline/manager.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/worker.h"

namespace magpie::glb {

// Thread safety: belongs to one rank. Meets LoadBalancer, and DirectsMail and
// HelpsOthers (common/task_pool/load_balancer.h).
template <typename Task>
class Balancer {
 public:
  // Collective. `here` outlives it.
  Balancer(const Options& options, Here& here)
      : here_(here),
        is_alone_(here.place.is_alone()),
        tasks_per_step_(options.tasks_per_step),
        period_ns_(options.period_us * 1000),
        backoff_(options.search.backoff),
        manager_(options, here),
        worker_(options, here, manager_.busy(), manager_.from_workers()) {}

  static size_t heap_bytes(const Options& options) {
    return Manager<Task>::heap_bytes(options) + Worker::heap_bytes();
  }

  template <typename Bag>
  void between_tasks(Bag& bag) {
    if (!is_alone_ || --until_step_ > 0) return;
    until_step_ = tasks_per_step_;
    if (manager_.is_asked()) [[unlikely]]
      manager_.step(bag, true);
  }

  template <typename Bag>
  void before_task(Bag& bag) {
    if (!is_alone_ && manager_.wants_all() && bag.offer_all())
      manager_.has_offered_all();
  }

  template <typename Bag>
  bool when_dry(Bag& bag) {
    if (!is_alone_ && !here_.is_manager()) return worker_.when_dry(bag);
    const uint64_t begin = rma::now();
    const bool has_tasks = is_alone_ ? alone(bag) : manage(bag);
    idle_ns_ += rma::now() - begin;
    return has_tasks;
  }

  // Begins a new run; the root's rank does so before others know of it.
  // REQUIRES: the last one is over.
  void begin_next() {
    here_.end.begin_next();
    if (here_.is_manager())
      manager_.begin_next();
    else
      worker_.begin_next();
  }

  bool is_wanted(uint16_t bits) const { return !here_.constructs.drops(bits); }

  bool hooks_adds() const { return worker_.search().hooks_spawns(); }
  template <StealableQueue Queue>
  void after_push(Queue& queue) const {
    worker_.search().after_push(queue);
  }

  // Returns where mail for a rank goes: to itself or, in another place, to its
  // manager. Counts what managers are sent.
  int address_of(int rank) {
    if (rank == rma::rank()) return rank;
    const Place to = here_.places.of(rank);
    if (to.number == here_.place.number && rank != to.manager()) {
      worker_.sends_to_neighbour();
      return rank;
    }
    if (here_.is_manager())
      manager_.sends_to(to.number);
    else
      worker_.sends_to_place(to.number);
    return to.manager();
  }
  void mail_sent(int rank) {
    const Place to = here_.places.of(rank);
    if (rank == to.manager()) Here::wake(to);
  }
  void mail_taken() {
    if (here_.is_manager())
      manager_.mail_taken();
    else
      worker_.mail_taken();
  }

  template <typename Bag>
  void while_others_wait(Bag& bag) {
    if (is_alone_)
      manager_.step(bag, true);
    else
      worker_.while_others_wait(bag);
  }
  template <typename Bag>
  bool others_have_tasks(Bag& bag) const {
    return !is_alone_ && worker_.others_have_tasks(bag);
  }

  SchedulerStats stats() const {
    SchedulerStats stats = manager_.stats() + worker_.search().stats();
    stats.idle_ns += idle_ns_;
    return stats;
  }
  OwnCounts own_counts() const {
    OwnCounts counts = manager_.own_counts();
    counts.push_back({"manager_ns", manager_ns_});
    return counts;
  }

 private:
  // Takes steps for a place of one rank, until it has tasks. False: the run is
  // over.
  template <typename Bag>
  bool alone(Bag& bag) {
    const trace::Idle idle;
    for (int pause = 1;; pause = std::min(pause + 1, backoff_)) {
      if (manager_.step(bag, false)) pause = 1;
      if (!bag.empty()) break;
      if (here_.end.poll()) return false;
      rma::idle(pause);
    }
    manager_.leaves_off();
    return true;
  }

  // Takes the steps of a manager, which never has tasks of its own, until the
  // run is over.
  template <typename Bag>
  bool manage(Bag& bag) {
    const trace::Idle idle;
    uint64_t pause = kShortestRestNs;
    while (!here_.end.poll()) {
      const uint64_t begin = rma::now();
      const bool has_more = manager_.step(bag, false);
      manager_ns_ += rma::now() - begin;
      if (has_more)
        rma::idle();
      else
        pause = rest(bag, pause);
    }
    return false;
  }

  // Rests for `pause`, or until it is woken, which a manager is for all but
  // tasks that its own workers add. Events come in bursts, as when a place runs
  // out of tasks: so the rest after a wake is short, and so is that of a
  // manager whose queue offers its tasks bit by bit, or whose report waits for
  // room. Each further rest is twice as long, up to the period, or to two
  // milliseconds where another place waits for tasks. Returns the next pause.
  template <typename Bag>
  uint64_t rest(Bag& bag, uint64_t pause) const {
    const bool offers_more = manager_.is_short() && !bag.empty();
    if (offers_more || bag.has_mail() || manager_.has_to_report())
      pause = kShortestRestNs;
    if (manager_.is_asked()) pause = std::min(pause, kThiefsRestNs);
    pause = std::min(pause, period_ns_);
    const uint64_t begin = rma::now();
    rma::rest(pause);
    const bool is_woken = rma::now() - begin < pause;
    return is_woken ? kShortestRestNs : 2 * pause;
  }

  static constexpr uint64_t kShortestRestNs = 16'000;
  static constexpr uint64_t kThiefsRestNs = 2'000'000;

  Here& here_;
  const bool is_alone_;
  const int tasks_per_step_;
  const uint64_t period_ns_;
  const int backoff_;
  Manager<Task> manager_;
  Worker worker_;
  int until_step_ = 1;
  // Time that a manager has spent on its place's behalf.
  uint64_t manager_ns_ = 0;
  // Time in which the rank was a place without tasks, or a manager.
  uint64_t idle_ns_ = 0;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_BALANCER_H_
