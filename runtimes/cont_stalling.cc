// Continuation stealing with stalling join: uni-address threads (hpdc15), THE
// queue, stalling join as its text says, and local collection (cluster22).

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/stalling_join.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Joins =
    greedy_join::StallingJoin<Threads, Heap, greedy_join::WaitOrder::kLookedAt>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_stalling")

}  // namespace magpie
