// What a rank of a lifeline pool knows of where it is, and of the run that is
// under way.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_HERE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_HERE_H_

#include <cstddef>

#include "common/rma/rma.h"
#include "common/stealing/end_of_run.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/pool_program.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// Thread safety: an instance belongs to one rank.
struct Here {
  // Collective.
  Here(const Places& all_places, const ConstructsOptions& options,
       const PoolProgram::Root& root)
      : places(all_places),
        place(places.of(rma::rank())),
        end(Group::of_all(), EndOfRun::kWakes),
        constructs(options, root) {}

  static size_t heap_bytes(const ConstructsOptions& options) {
    return EndOfRun::heap_bytes() + Constructs::heap_bytes(options);
  }

  bool is_manager() const { return rma::rank() == place.manager(); }

  // Wakes a place's manager, who may rest: something has come for it. Cost: 1
  // fetch_add; none where the place is a rank alone, which never rests.
  static void wake(const Place& to) {
    if (!to.is_alone()) rma::wake(to.manager());
  }

  const Places places;
  // Place of this rank.
  const Place place;
  // End of the run, which is a finish block; said by place 0's manager.
  EndOfRun end;
  // Whether the run was cancelled, and the static data.
  Constructs constructs;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_HERE_H_
