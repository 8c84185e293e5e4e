// Finish blocks, one after the other, of a root that runs on one rank: how the
// others learn that one begins, or that there is none any more.
//
// Source: hybrid_glb_apgas18 §3 (finishAsyncAny); the paper does not say how
// one starts.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. A finish has begun on all ranks before its body runs: each has entered
//      it and has said so, up a tree, when the root goes on.

#ifndef MAGPIE_COMMON_TASK_POOL_FINISHES_H_
#define MAGPIE_COMMON_TASK_POOL_FINISHES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/stealing/termination.h"

namespace magpie {

class Finishes {
 public:
  // Collective.
  Finishes()
      : begun_(EndOfRun::kWakes),
        over_(EndOfRun::kWakes),
        entered_(sizeof(uint64_t), alignof(uint64_t)) {}

  static size_t heap_bytes() {
    return 2 * EndOfRun::heap_bytes() +
           Waves::heap_bytes(sizeof(uint64_t), alignof(uint64_t));
  }

  // Begins the next finish: enter() is called on every rank. Called by the
  // root. REQUIRES: the last one has ended. Cost: twice down a tree, and up
  // again.
  template <typename Enter>
  void begin(Enter enter) {
    begun_.announce();
    join(enter);
  }
  // Says that no finish comes any more. Called by the root.
  void end() {
    over_.announce();
    over_.poll();
  }

  // Waits for the next finish, and enters it; after some polls of the network
  // it rests until it is woken. Called by the other ranks. False: no finish
  // comes any more.
  template <typename Enter>
  bool wait(Enter enter) {
    rma::flush_all();
    for (int pause = 1; !begun_.poll(); pause = longer(pause)) {
      if (over_.poll()) return false;
      if (pause < kLongestPause)
        rma::idle(pause);
      else
        rma::rest(kRestNs);
    }
    join(enter);
    return true;
  }

 private:
  static constexpr int kLongestPause = 64;
  static constexpr uint64_t kRestNs = 10'000'000;
  // Next pause, in polls of the network.
  static int longer(int pause) { return std::min(2 * pause, kLongestPause); }

  template <typename Enter>
  void join(Enter enter) {
    begun_.poll();
    begun_.begin_next();
    enter();
    rma::flush_all();
    uint64_t nothing = 0;
    for (int pause = 1; !entered_.poll(&nothing, [](void*, const void*) {});
         pause = longer(pause))
      rma::idle(pause);
  }

  // Number of finishes that have begun; whether the root has ended.
  EndOfRun begun_, over_;
  Waves entered_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_FINISHES_H_
