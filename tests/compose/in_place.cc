// Greedy join over threads that are never stolen: everything runs on rank 0.

#include "common/fork_join/in_place_threads.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"

namespace magpie {
namespace {

using Runtime =
    greedy_join::Runtime<InPlaceThreads, greedy_join::LocalCollection>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "in_place"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
