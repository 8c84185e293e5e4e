// Continuation stealing with greedy join: uni-address threads (hpdc15), THE
// queue, greedy join, and local collection as cluster22's text has it.

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/linked_collection.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LinkedCollection;
using Queue = uniaddr::TheQueue<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_greedy_linked")

}  // namespace magpie
