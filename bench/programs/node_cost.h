// What programs charge simulated ranks for.

#ifndef MAGPIE_BENCH_PROGRAMS_NODE_COST_H_
#define MAGPIE_BENCH_PROGRAMS_NODE_COST_H_

#include "common/rma/rma.h"

namespace magpie::bench {

// A node of UTS is looked at, or what takes about as long.
inline const rma::Cost kNode("node");

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_NODE_COST_H_
