// Uni-address as threads.h has it, which the same Lineage serves: the frames of
// a thread lie in one region directly below its parent's, also while it waits
// for its child. (One that waits for anything else is evacuated; here none is.)
//
// Nothing is copied but what migrates, and that comes into pages that are in
// use as soon as the region was once so deep.
//
// Source: hpdc15 §5.2.
//
// Thread safety: belongs to one rank. Thieves copy what waits.

#ifndef MAGPIE_IMPL_UNIADDR_ADDRESSING_PACKED_H_
#define MAGPIE_IMPL_UNIADDR_ADDRESSING_PACKED_H_

#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "impl/uniaddr/addressing/scheme.h"
#include "impl/uniaddr/item.h"
#include "impl/uniaddr/lineage.h"

namespace magpie::uniaddr {

class Packed {
 public:
  using Context = context::Context;
  static constexpr char kName[] = "uni-address";

  // The youngest may need a whole stack.
  static uint64_t region_bytes(const Shape& shape) {
    return shape.threads * shape.frames_bytes + shape.stack_bytes;
  }

  explicit Packed(const Shape& shape) : waiting_(shape) {}

  void start(void (*root)(void*), void* arg) {
    waiting_.clear();
    lineage_.start(root, arg);
    rma::use_region(waiting_.youngest().home.frame_base,
                    rma::self().region + rma::self().region_bytes);
  }

  void spawn(void (*child)(void*), void* arg) {
    context::save_and_call([this, child, arg](Context* parent) {
      offer(parent);
      lineage_.descend(waiting_.youngest().home);
      child(arg);
      lineage_.ascend(waiting_.pop().home.end());
    });
  }

  void wait() {
    context::save_and_call([this](Context* thread) {
      offer(thread);
      leave();
    });
  }

  [[noreturn]] void leave() { lineage_.leave(); }

  const WaitingThreads& waiting() const { return waiting_; }

  void run(const SavedThread& thread) {
    Lineage::use(thread.home);
    rma::get(thread.home.frame_base, thread.frames, thread.home.frame_bytes);
    lineage_.enter(thread.home);
    rma::leave_region();
  }

 private:
  void offer(Context* thread) {
    const Frames home = lineage_.frames_of(thread);
    waiting_.push({rma::region_ptr(rma::rank(), home.frame_base), home});
  }

  WaitingThreads waiting_;
  Lineage lineage_;
};

static_assert(AddressScheme<Packed>);

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_ADDRESSING_PACKED_H_
