// Continuation stealing composed of the simplest class that meets each concept:
// a deque that everybody locks, a heap that looks at all its objects, victims
// in turn, a join under a lock.

#include "common/fork_join/locked_join.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/thread_runtime.h"
#include "common/remote_heap/asking_heap.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "impl/uniaddr/threads.h"

namespace magpie {

using Queue = LockedDeque<uniaddr::Item>;
using Threads = uniaddr::Threads<Queue, AskingHeap, NextVictim>;
using Joins = LockedJoin<Threads, AskingHeap>;
using Runtime = ThreadRuntime<Joins>;

MAGPIE_FORK_JOIN_SEAM(Runtime, "simplest")

}  // namespace magpie
