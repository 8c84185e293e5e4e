// Ranks as fibers: how the process goes from one rank's stack to another's.
//
// A rank runs on a stack of its own until it switches to another; or to the
// main fiber, which is whoever called resume(), where memory has to be as the
// other needs it first.
//
// Thread safety: one thread. Invariants:
//   1. A rank's context is where it goes on, except while it runs.
//   2. The region is swapped on the main fiber's stack alone.
//   3. What the C++ runtime keeps for a thread, it keeps for each rank.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_FIBERS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_FIBERS_H_

#include <functional>
#include <utility>

#include "common/context/context.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/rank.h"

namespace magpie::rma::sim {

class Fibers {
 public:
  // Each rank runs `body`, once.
  Fibers(Memory* memory, std::function<void()> body)
      : memory_(*memory), body_(std::move(body)) {}

  // On the main fiber: makes memory as the rank needs it.
  void prepare(Rank& rank);
  // On the main fiber: the rank goes on, or begins. Returns when some rank
  // switches back.
  void resume(Rank& rank);

  // On a rank's fiber: whether it can switch to `next` at once.
  bool can_switch_to(const Rank& next) const {
    return next.context != nullptr && memory_.in_place(next);
  }
  // On a rank's fiber: `next` goes on; null: the main fiber does.
  void switch_from(Rank& me, const Rank* next);

 private:
  static void start(context::Context* main, Fibers* self, const Rank* rank);
  static void run_body(void* self);

  Memory& memory_;
  const std::function<void()> body_;
  // Where the main fiber goes on, while a rank runs.
  context::Context* main_ = nullptr;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_FIBERS_H_
