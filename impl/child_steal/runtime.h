// The functions of the seam (common/fork_join/runtime.h) over a rank of child
// stealing. The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
#define MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_

#include <cstdint>

#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/run/run.h"
#include "impl/child_steal/rank.h"

namespace magpie::child_steal {

template <TiedThreads Threads, StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims>
class Runtime : public SeamOfRank<Rank<Threads, Queue, Heap, Victims>>,
                public RunsTasksLater {
  using Ranks = Rank<Threads, Queue, Heap, Victims>;

 public:
  // Tasks are tied. Those whose joins are buried share a stack.
  static constexpr ForkJoinTraits kTraits = {
      .spreads = true,
      .migrates = false,
      .buries = Threads::kBuries,
      .has_own_stacks = !Threads::kBuries};

  static void spawn(const SpawnedType* type, const void* closure, Handle* out) {
    rma::charged<cost::kSpawn, &Runtime::spawn_task>(type, closure, out);
  }
  static void join(const Handle* task, uint32_t consumer, void* result,
                   uint32_t bytes) {
    rma::charged<cost::kJoin, &Runtime::join_task>(task, consumer, result,
                                                   bytes);
  }
  static void discard(const Handle* task, uint32_t consumer, uint32_t) {
    Ranks::self().discard(*task, consumer);
  }

 private:
  [[gnu::always_inline]] static void spawn_task(const SpawnedType* type,
                                                const void* closure,
                                                Handle* out) {
    Ranks::self().spawn(*type, closure, out);
  }
  [[gnu::always_inline]] static void join_task(const Handle* task,
                                               uint32_t consumer, void* result,
                                               uint32_t bytes) {
    Ranks::self().join(*task, consumer, result, bytes);
  }
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
