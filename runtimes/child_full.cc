// Child stealing with fully fledged threads (cluster22 §IV-B), which look at
// waiting tasks after failed steals (§III-A): THE queue (hpdc15), local
// collection (cluster22 §III-B).

#include "common/stealing/victim_selection.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/runtime.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<child_steal::Descriptor>;
using Threads = child_steal::Full<child_steal::AfterFailedSteals>;
using Runtime = child_steal::Runtime<Threads, Queue, Heap, RandomVictim>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "child_full")

}  // namespace magpie
