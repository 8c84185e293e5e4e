// Child stealing with run-to-completion threads over the SDC queue of icpp21,
// half of the tasks a steal: a thief's loot, and places that stay in use until
// its notice.

#include "common/stealing/victim_selection.h"
#include "impl/child_steal/rtc.h"
#include "impl/child_steal/runtime.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/volume.h"

namespace magpie {
namespace {

using Heap = greedy_join::LocalCollection;
using Threads = child_steal::RtC;
using Queue = sws_queue::SdcQueue<child_steal::Descriptor, sws_queue::Half>;
using Runtime = child_steal::Runtime<Threads, Queue, Heap, RandomVictim>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "child_rtc_sdc"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
