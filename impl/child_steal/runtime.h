// The functions of the seam (common/fork_join/runtime.h) over a rank of child
// stealing. The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
#define MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_

#include <cstdint>

#include "common/fork_join/charged.h"
#include "common/fork_join/runtime.h"
#include "common/run/seam_of_rank.h"
#include "impl/child_steal/rank.h"

namespace magpie::child_steal {

// `Rank` is a Rank of rank.h.
template <typename Rank>
class RuntimeOf : public SeamOfRank<Rank>, public RunsTasksLater {
 public:
  // Tasks are tied. Those whose joins are buried share a stack.
  static constexpr ForkJoinTraits kTraits = {.spreads = true,
                                             .migrates = false,
                                             .buries = Rank::kBuries,
                                             .has_own_stacks = !Rank::kBuries};

  [[gnu::always_inline]] static void spawn(const SpawnedType* type,
                                           const void* closure, Handle* out) {
    Rank::self().spawn(*type, closure, out);
  }
  [[gnu::always_inline]] static void join(const Handle* task, uint32_t consumer,
                                          void* result, uint32_t bytes) {
    Rank::self().join(*task, consumer, result, bytes);
  }
  static void discard(const Handle* task, uint32_t consumer, uint32_t) {
    Rank::self().discard(*task, consumer);
  }
};

template <TiedThreads Threads, StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims>
using Runtime = Charged<RuntimeOf<Rank<Threads, Queue, Heap, Victims>>>;

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
