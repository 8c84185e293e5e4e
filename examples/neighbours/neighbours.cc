// A runtime of one's own: //:cont_greedy with another choice of victims.

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"
#include "neighbour_victim.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, Heap, NeighbourVictim>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "neighbours")

}  // namespace magpie
