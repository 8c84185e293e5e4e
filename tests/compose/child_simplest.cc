// Child stealing composed of the simplest class that meets each concept.

#include "common/remote_heap/asking_heap.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/runtime.h"

namespace magpie {

using Queue = LockedDeque<child_steal::Descriptor>;
using Threads = child_steal::Full<child_steal::FrontFirst>;
using Runtime = child_steal::Runtime<Threads, Queue, AskingHeap, NextVictim>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "child_simplest")

}  // namespace magpie
