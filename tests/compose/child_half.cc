// Child stealing over a queue of icpp21, half of the tasks a steal: a thief's
// loot, and places that stay in use until its notice. BUILD compiles it with
// names of the threads, of the queue and of the whole; these are one of four.

#include "common/stealing/victim_selection.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/rtc.h"
#include "impl/child_steal/runtime.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie {

using child_steal::RtC;
using FullTuned = child_steal::Full<child_steal::FrontFirst>;
using Heap = greedy_join::LocalCollection;
using Queue = sws_queue::QUEUE<child_steal::Descriptor, sws_queue::Half>;
using Runtime = child_steal::Runtime<THREADS, Queue, Heap, RandomVictim>;

MAGPIE_FORK_JOIN_SEAM(Runtime, NAME)

}  // namespace magpie
