// The baseline of cluster22: continuation stealing as in the original
// uni-address threads (hpdc15), with stalling join and the lock queue.

#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/lock_queue.h"
#include "impl/greedy_join/stalling_join.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Heap = greedy_join::LockQueue;
using Queue = uniaddr::TheQueue<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Joins =
    greedy_join::StallingJoin<Threads, Heap, greedy_join::WaitOrder::kInTurns>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "cont_baseline")

}  // namespace magpie
