// The functions of the seam (common/fork_join/runtime.h) over a rank of child
// stealing. The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
#define MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_

#include <cstdint>

#include "common/fork_join/runtime.h"
#include "common/fork_join/seam_of_rank.h"
#include "common/rma/rma.h"
#include "common/task/costs.h"
#include "impl/child_steal/rank.h"

namespace magpie::child_steal {

template <TiedThreads Threads, StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims>
class Runtime : public SeamOfRank<Rank<Threads, Queue, Heap, Victims>> {
  using Rank = child_steal::Rank<Threads, Queue, Heap, Victims>;

 public:
  static void spawn(const TypeInfo* type, const void* closure, Handle* out) {
    rma::charged<cost::kSpawn, &spawn_task>(type, closure, out);
  }
  static void join(const Handle* task, uint32_t, void* result, uint32_t bytes) {
    rma::charged<cost::kJoin, &join_task>(task, result, bytes);
  }
  static void discard(const Handle* task, uint32_t) {
    Rank::self().discard(*task);
  }

 private:
  [[gnu::always_inline]] static void spawn_task(const TypeInfo* type,
                                                const void* closure,
                                                Handle* out) {
    Rank::self().spawn(*type, closure, out);
  }
  [[gnu::always_inline]] static void join_task(const Handle* task, void* result,
                                               uint32_t bytes) {
    Rank::self().join(*task, result, bytes);
  }
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
