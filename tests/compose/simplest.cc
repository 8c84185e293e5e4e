// Continuation stealing out of the simplest class that meets each concept: a
// deque that everybody locks, a heap that asks the owner, victims in turn.

#include "common/remote_heap/asking_heap.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/threads.h"

namespace magpie {
namespace {

using Queue = LockedDeque<uniaddr::TaskqEntry>;
using Threads = uniaddr::Threads<Queue, AskingHeap, NextVictim>;
using Runtime = greedy_join::Runtime<Threads, AskingHeap>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "simplest"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
