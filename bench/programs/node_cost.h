// The cost that programs charge simulated ranks for.

#ifndef MAGPIE_BENCH_PROGRAMS_NODE_COST_H_
#define MAGPIE_BENCH_PROGRAMS_NODE_COST_H_

#include "common/rma/rma.h"

namespace magpie::bench {

// Looking at a node of UTS, or something that takes about as long.
inline const rma::Cost kNode("uts_node");

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_NODE_COST_H_
