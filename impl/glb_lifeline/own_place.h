// What a rank of a lifeline pool knows of where it is, and of the run that is
// under way.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_OWN_PLACE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_OWN_PLACE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/end_of_run.h"
#include "common/stealing/scheduler_stats.h"
#include "common/task_pool/load_balancer.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// Thread safety: an instance belongs to one rank.
struct OwnPlace {
  // Collective.
  explicit OwnPlace(const Places& all_places)
      : places(all_places),
        place(places.of(rma::rank())),
        end(Group::of_all(), EndOfRun::kWakes) {}

  static size_t heap_bytes() { return EndOfRun::heap_bytes(); }

  bool is_manager() const { return rma::rank() == place.manager(); }

  const Places places;
  // Place of this rank.
  const Place place;
  // End of the run, which is a finish block; said by place 0's manager.
  EndOfRun end;

  // Loads that the rank has sent on lifelines, reports to place 0, and time in
  // a manager's steps.
  uint64_t lifeline_loads = 0;
  uint64_t reports = 0;
  uint64_t manager_ns = 0;
};

// What the load balancers of this package have in common.
//
// Thread safety: belongs to one rank.
class PlaceBalancer : public BalancesNothing {
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

#endif  // MAGPIE_IMPL_GLB_LIFELINE_OWN_PLACE_H_
