// Continuation stealing with greedy join: uni-address threads (hpdc15), THE
// queue, greedy join and local collection (cluster22).

#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/scheduler.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {
namespace {

using Threads =
    uniaddr::Scheduler<uniaddr::TheQueue, greedy_join::LocalCollection>;
using Join = greedy_join::GreedyJoin<Threads, greedy_join::LocalCollection>;
using Runtime = greedy_join::Runtime<Join>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "cont_greedy"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
