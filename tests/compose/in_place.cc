// Greedy join over threads that are never stolen: everything runs on rank 0.

#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"

namespace magpie {

using Joins =
    greedy_join::GreedyJoin<InPlaceThreads, greedy_join::LocalCollection>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "in_place")

}  // namespace magpie
