// Continuation stealing with greedy join: uni-address threads (hpdc15), THE
// queue, greedy join and local collection (cluster22).

#include "common/stealing/random_victim.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {
namespace {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<uniaddr::TaskqEntry>;
using Threads = uniaddr::Threads<Queue, Heap, RandomVictim>;
using Runtime = greedy_join::Runtime<Threads, Heap>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "cont_greedy"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
