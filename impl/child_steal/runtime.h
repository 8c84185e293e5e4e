// The functions of the seam (common/fork_join/runtime.h) over a rank of child
// stealing. The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
#define MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "common/run/run.h"
#include "impl/child_steal/rank.h"

namespace magpie::child_steal {

template <typename Threads, StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims>
class Runtime {
  using Rank = child_steal::Rank<Threads, Queue, Heap, Victims>;

 public:
  static void spawn(const TypeInfo* type, const void* closure, Handle* out) {
    rma::charged<rma::Cost::kSpawn, &spawn_task>(type, closure, out);
  }
  static void join(const Handle* task, uint32_t, void* result, uint32_t bytes) {
    rma::charged<rma::Cost::kJoin, &join_task>(task, result, bytes);
  }
  static void discard(const Handle* task, uint32_t) {
    Rank::self().discard(*task);
  }
  static int run(const std::vector<std::string>& arguments,
                 const RootInfo* root, const void* closure, void* result,
                 RunReport* report) {
    return run_everywhere<Rank>(arguments, {root, closure}, result, report);
  }
  static const void* root_closure() { return Rank::self().root_closure(); }
  static std::string flags_help() {
    return magpie::flags_help<Rank>(kRuntime.name);
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
