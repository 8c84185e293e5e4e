// Costs that runtimes charge to simulated ranks, beside the network's
// operations.

#ifndef MAGPIE_COMMON_RUN_COSTS_H_
#define MAGPIE_COMMON_RUN_COSTS_H_

#include "common/rma/rma.h"

namespace magpie::cost {

inline const rma::Cost kSpawn("spawn");
inline const rma::Cost kJoin("join");
// A task suspends and is resumed.
inline const rma::Cost kContextSwitch("context_switch");
// A task gets a stack of its own, and gives it back when it has ended.
inline const rma::Cost kTaskStack("task_stack");
// A byte is copied within the rank.
inline const rma::Cost kCopyByte("copy_byte");

}  // namespace magpie::cost

#endif  // MAGPIE_COMMON_RUN_COSTS_H_
