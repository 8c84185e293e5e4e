// Continuation stealing with greedy join over the SWS queue of icpp21, one
// continuation a steal: a claim is one fetch-and-add, and the owner's push and
// pop have no fence and no atomic while nobody steals. All else is
// cont_greedy's.

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/sws_queue/stealval.h"
#include "impl/sws_queue/sws_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue =
    sws_queue::SwsQueue<uniaddr::Item, sws_queue::One, sws_queue::LongRing>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_greedy_sws")

}  // namespace magpie
