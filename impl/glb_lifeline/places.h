// Places: groups of ranks of one node, which share their tasks.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_PLACES_H_
#define MAGPIE_IMPL_GLB_LIFELINE_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/task_pool/load_balancer.h"
#include "common/trace/scheduler_stats.h"

namespace magpie::glb {

// The ranks of a place: workers and, last, a manager, which runs no tasks; or
// one that is alone and is both. A value.
struct Place {
  int number;
  Group ranks;

  bool is_alone() const { return ranks.size == 1; }
  int manager() const { return ranks.rank(ranks.size - 1); }
  int workers() const { return is_alone() ? 1 : ranks.size - 1; }
};

// Wakes a place's manager, which may rest: something has come for it. Cost: 1
// fetch_add; none where the place is a rank alone, which never rests.
inline void wake_manager(const Place& to) {
  if (!to.is_alone()) rma::wake(to.manager());
}

// Places that ranks are made into: within each node as many as there can be of
// the asked number of workers and a manager. Of what remains one rank joins the
// node's last place as a worker, and more make a smaller place.
//
// Thread safety: an instance belongs to one rank, and never changes.
class Places {
 public:
  static constexpr int kAllOfNode = 0;

  // Makes each rank a place.
  static Places of_single_ranks();

  // Makes places within nodes. Prints an error and ends the job unless the
  // ranks of each node are next to each other. REQUIRES: workers_per_place >=
  // 0. Collective.
  static Places of_nodes(int workers_per_place);

  int count() const { return count_; }
  // REQUIRES: 0 <= number < count().
  Place place(int number) const;
  // REQUIRES: 0 <= rank < rma::size().
  Place of(int rank) const;

  // Nodes of equally many ranks, one after the other. There are few such
  // stretches, however many ranks.
  struct Stretch {
    int first_rank;
    int ranks_per_node;
    int nodes;
  };
  // Stretches of `ranks` ranks, whose nodes node_of tells. Prints an error
  // and ends the job unless the ranks of each node are next to each other.
  static std::vector<Stretch> stretches(int ranks, int (*node_of)(int rank));
  // Makes places of a job with such nodes. Public for tests.
  Places(std::vector<Stretch> stretches, int workers_per_place);

 private:
  int places_in_node(const Stretch& stretch) const;

  std::vector<Stretch> stretches_;
  // Number of the first place of each stretch.
  std::vector<int> first_places_;
  // Number of ranks that make a place, where a node has as many.
  int ranks_in_place_;
  int count_ = 0;
};

// Place of a rank of a lifeline pool, and the run that is under way, as the
// rank knows them.
//
// Thread safety: an instance belongs to one rank.
struct OwnPlace {
  // Collective.
  explicit OwnPlace(const Places& all_places)
      : places(all_places),
        place(places.of(rma::rank())),
        end(/*wakes=*/true) {}

  static size_t heap_bytes() { return EndOfRun::heap_bytes(); }

  bool is_manager() const { return rma::rank() == place.manager(); }

  const Places places;
  const Place place;  // of this rank
  // End of the run, which is a finish block; said by place 0's manager.
  EndOfRun end;

  // Loads that the rank has sent on lifelines, reports to place 0, and time in
  // a manager's steps.
  uint64_t lifeline_loads = 0;
  uint64_t reports = 0;
  uint64_t manager_ns = 0;
};

// Parts that the load balancers of this package have in common.
//
// Thread safety: belongs to one rank.
class PlaceBalancer : public LoadBalancer {
 public:
  bool hooks_adds() const { return rma::self().poll_at_spawn; }
  void after_push(auto&) const { rma::poll(); }
  void mail_sent(int rank) const {
    const Place to = own_.places.of(rank);
    if (rank == to.manager()) wake_manager(to);
  }
  // The same counts on all ranks, whatever they are in their places.
  OwnCounts own_counts() const {
    return {{"lifeline_loads", own_.lifeline_loads},
            {"reports", own_.reports},
            {"manager_ns", own_.manager_ns}};
  }

 protected:
  // `own` outlives it.
  explicit PlaceBalancer(OwnPlace& own) : own_(own) {}

  OwnPlace& own_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_PLACES_H_
