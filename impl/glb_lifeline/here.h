// What a rank of a lifeline pool knows of where it is, and of the run that is
// under way.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_HERE_H_
#define MAGPIE_IMPL_GLB_LIFELINE_HERE_H_

#include <cstddef>

#include "common/rma/rma.h"
#include "common/stealing/end_of_run.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// Thread safety: an instance belongs to one rank.
struct Here {
  // Collective.
  explicit Here(const Places& all_places)
      : places(all_places), place(places.of(rma::rank())) {}

  static size_t heap_bytes() { return EndOfRun::heap_bytes(); }

  bool is_manager() const { return rma::rank() == place.manager(); }

  const Places places;
  // The rank's own.
  const Place place;
  // Of the run, said by place 0's manager.
  EndOfRun end;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_HERE_H_
