// The region and the one lineage that it holds.
//
// A region of addresses is the same on all ranks (rma::Self::region). It is one
// stack, growing down: the running thread at the lowest address, above it those
// of its ancestors whose continuations are still here.
//
//     region end   +------------------+
//                  | root             |  in the queue, oldest: stolen first
//                  +------------------+
//                  | its child        |  in the queue
//                  +------------------+
//     top_     ->  | running thread   |
//                  |   |              |
//                  |   v              |
//     region begin +------------------+
//                    guard page
//
// Source: hpdc15 §5, Fig. 3 to 8.
//
// Thread safety: belongs to one rank. Thieves copy frames that are in the
// queue. Invariants:
//   1. The running thread has the lowest frames of the region: [stack pointer,
//      top_). Whoever makes a thread the running one sets top_.
//   2. Frames in the queue lie above top_, the youngest lowest. They do not
//      overlap.
//   3. Another lineage comes in only when the region is empty: top_ is null.

#ifndef MAGPIE_IMPL_UNIADDR_LINEAGE_H_
#define MAGPIE_IMPL_UNIADDR_LINEAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/trace/scope.h"

namespace magpie::uniaddr {

// A continuation in the region that anybody may take: the frames of a thread
// from its saved context, which is at the lowest address, up to its parent's.
// Source: hpdc15 Fig. 4, lines 3-6 (frame_base and ctx are one address here).
struct Frames {
  std::byte* frame_base;
  uint64_t frame_bytes;

  std::byte* end() const { return frame_base + frame_bytes; }
};

class Lineage {
 public:
  using Context = context::Context;

  Lineage() : lowest_(region_end()) {}
  Lineage(const Lineage&) = delete;
  Lineage& operator=(const Lineage&) = delete;

  // The frames of the running thread, from its context.
  Frames frames_of(Context* thread) const {
    std::byte* const base = reinterpret_cast<std::byte*>(thread);
    check(base < top_, "the running thread is not the lowest (lineage.h, 1)");
    return {base, static_cast<uint64_t>(top_ - base)};
  }

  // Makes a new child the running thread, whose frames lie below `parent`.
  [[gnu::always_inline]] void descend(const Frames& parent) {
    top_ = parent.frame_base;
    if (top_ < lowest_) [[unlikely]]
      lowest_ = top_;
  }
  // Makes the parent the running thread again, whose frames end at
  // `parents_end`.
  [[gnu::always_inline]] void ascend(std::byte* parents_end) {
    top_ = parents_end;
  }

  // Makes a thread whose frames lie in the region the running one.
  [[noreturn]] void continue_at(const Frames& thread) {
    check(top_ <= thread.frame_base, "frames overlap (lineage.h, 2)");
    ascend(thread.end());
    context::resume(reinterpret_cast<Context*>(thread.frame_base));
  }

  // ---------------------------------- the scheduler's side, outside the region

  // Says that the region will hold this thread and what is below it; its parent
  // is not here, so debuggers and backtrace() find the end of the stack where
  // the parent was saved. REQUIRES: the region is empty.
  static void use(const Frames& thread) {
    std::byte* end = thread.end();
    if (end < region_end()) end += context::kContextBytes;
    rma::use_region(thread.frame_base, end);
    if (end != thread.end()) context::end_of_stack(thread.end());
  }

  // Runs a thread that was brought in, until this rank has nothing left of its
  // lineage: until leave().
  void enter(const Frames& thread) {
    check(top_ == nullptr, "the region is not empty (lineage.h, 3)");
    trace::Phase phase;
    lowest_ = std::min(lowest_, thread.frame_base);
    rma::charge(cost::kContextSwitch);
    context::save_and_call([this, &thread, &phase](Context* scheduler) {
      scheduler_ = scheduler;
      phase.end(trace::Event::kResume, {.bytes = thread.frame_bytes});
      continue_at(thread);
    });
    rma::leave_region();
  }

  // The same with a new thread, which runs root(arg) and does not return.
  void start(void (*root)(void*), void* arg) {
    top_ = region_end();
    rma::use_region(region_end(), region_end());
    context::save_and_call([this, root, arg](Context* scheduler) {
      scheduler_ = scheduler;
      context::start_on_stack(region_end(), root, arg);
    });
    rma::leave_region();
  }

  // Goes back to enter() or start(), for good. REQUIRES: the running thread has
  // ended or was saved, no ancestor of it is here, and nobody copies out of the
  // region any more.
  [[noreturn]] void leave() {
    top_ = nullptr;
    context::resume(scheduler_);
  }

  // The most of the region that was ever in use between two spawns.
  uint64_t bytes_max() const {
    return static_cast<uint64_t>(region_end() - lowest_);
  }

 private:
  static std::byte* region_end() {
    return rma::self().region + rma::self().region_bytes;
  }

  // Context that goes on when the lineage is at its end.
  Context* scheduler_ = nullptr;
  // End of the running thread's frames; null: the region is empty.
  std::byte* top_ = nullptr;
  // The lowest frame so far.
  std::byte* lowest_;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_LINEAGE_H_
