// The runtime //:cont_greedy with thieves that ask a rank of their own node
// every other time.

#include "common/fork_join/thread_runtime.h"
#include "common/stealing/other_victims.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, Heap, NodeVictim<50>>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_greedy_node")

}  // namespace magpie
