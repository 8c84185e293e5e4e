// What a load balancer does: how a rank of a pool that has no task gets some,
// and what it does for others between two of its own.

#ifndef MAGPIE_COMMON_TASK_POOL_LOAD_BALANCER_H_
#define MAGPIE_COMMON_TASK_POOL_LOAD_BALANCER_H_

#include "common/trace/scheduler_stats.h"

namespace magpie {

// The base of balancers, of which each rank has one of its own. `bag` is the
// rank's BagOf (bag.h): steal(victim), has_mail(), counts(). A class that
// derives from it has:
//
//   when_dry(bag)         Called when the bag has no task. True: it has some
//                         again. False: the run is over.
//   begin_next()          Begins a new run, in which somebody has a task
//                         already. REQUIRES: the last one is over.
//   hooks_adds()          Whether after_push(queue) is to be called after each
//                         push of a task that was added.
//   stats()               Steals, their time, and that of when_dry(), idle_ns.
struct LoadBalancer {
  // Called when a task has been taken out of the bag, before it runs; and after
  // each task that has ended. To return soon: the bag may have more. The first
  // adds nothing to the bag: the task may still lie in the next push's place.
  void before_task(auto&) {}
  void between_tasks(auto&) {}

  // For a balancer that has to know of tasks which travel through inboxes: the
  // rank into whose inbox a task for `rank` goes, of which it takes note, or
  // the own rank, where the task is to be added here; called when the task is
  // in that inbox; called when a task from the own inbox is in the bag.
  int address_of(int rank) { return rank; }
  void mail_sent(int) {}
  void mail_taken() {}

  // Called while a task of this rank waits for room in an inbox: does something
  // for others, which may wait for this rank.
  void while_others_wait(auto&) {}

  // Counts of its own, besides.
  OwnCounts own_counts() const { return {}; }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_LOAD_BALANCER_H_
