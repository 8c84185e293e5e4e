// Continuation stealing over the SDC queue of icpp21, one continuation a steal:
// a lock, and copies after it.

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = sws_queue::SdcQueue<uniaddr::Item, sws_queue::One>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_greedy_sdc")

}  // namespace magpie
