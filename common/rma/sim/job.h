// What the process knows of the simulation that runs in it.

#ifndef MAGPIE_COMMON_RMA_SIM_JOB_H_
#define MAGPIE_COMMON_RMA_SIM_JOB_H_

#include "common/rma/sim/engine/engine.h"
#include "common/rma/sim/options.h"

namespace magpie::rma::sim {

// Process-wide: a backend is the one place where that is allowed.
extern Options options;

// The engine of the run. Outside a run it points to where nothing is mapped, as
// internal::nobody does: what needs an engine ends with an error there, at no
// cost in a run.
extern Engine* engine;

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_JOB_H_
