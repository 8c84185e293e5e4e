// Child stealing with run-to-completion threads (cluster22 §IV-B): THE queue
// (hpdc15), local collection (cluster22 §III-B).

#include "common/stealing/victim_selection.h"
#include "impl/child_steal/rtc.h"
#include "impl/child_steal/runtime.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {

using Heap = greedy_join::LocalCollection;
using Queue = uniaddr::TheQueue<child_steal::Descriptor>;
using Runtime =
    child_steal::Runtime<child_steal::RtC, Queue, Heap, RandomVictim>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "child_rtc")

}  // namespace magpie
