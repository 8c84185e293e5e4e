// Iso-address: each thread has a stack of its own, at an address that no other
// thread of the job has, and every rank reserves all of them.
//
//     region end   +------------------+
//                  | rank 1, thread 1 |
//                  | rank 1, thread 0 |  stack_bytes each
//                  | rank 0, thread 1 |
//     region begin | rank 0, thread 0 |
//                  +------------------+
//
// Nothing is copied but what migrates. But a thief touches as many pages as it
// takes threads, until it has had threads at all addresses of all ranks.
//
// Source: hpdc15 §4.
//
// Thread safety: belongs to one rank. Thieves copy what waits.

#ifndef MAGPIE_IMPL_UNIADDR_ADDRESSING_ISO_ADDRESS_H_
#define MAGPIE_IMPL_UNIADDR_ADDRESSING_ISO_ADDRESS_H_

#include <cstddef>
#include <cstdint>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "impl/uniaddr/addressing/scheme.h"
#include "impl/uniaddr/item.h"

namespace magpie::uniaddr {

class IsoAddress {
 public:
  using Context = context::Context;
  static constexpr char kName[] = "iso-address";

  static uint64_t region_bytes(const Shape& shape) {
    return shape.ranks * shape.threads * shape.stack_bytes;
  }

  explicit IsoAddress(const Shape& shape) : shape_(shape), waiting_(shape) {}

  void start(void (*root)(void*), void* arg) {
    waiting_.clear();
    rma::use_region(stack(0), stack(shape_.threads));
    context::save_and_call([this, root, arg](Context* scheduler) {
      scheduler_ = scheduler;
      end_ = stack(1);
      context::start_on_stack(end_, root, arg);
    });
  }

  void spawn(void (*child)(void*), void* arg) {
    context::save_and_call([this, child, arg](Context* parent) {
      offer(parent);
      end_ = stack(waiting_.size() + 1);
      context::call_on_stack(end_, child, arg);
      end_ = stack(waiting_.size());
      waiting_.pop();
    });
  }

  void wait() {
    context::save_and_call([this](Context* thread) {
      offer(thread);
      leave();
    });
  }

  [[noreturn]] void leave() { context::resume(scheduler_); }

  const WaitingThreads& waiting() const { return waiting_; }

  void run(const SavedThread& thread) {
    const Frames& home = thread.home;
    rma::use_region(home.frame_base, home.frame_base + home.frame_bytes);
    rma::get(home.frame_base, thread.frames, home.frame_bytes);
    context::save_and_call([this, &home](Context* scheduler) {
      scheduler_ = scheduler;
      context::resume(reinterpret_cast<Context*>(home.frame_base));
    });
    rma::leave_region();
  }

 private:
  // Where the i-th stack of this rank begins and the one before it ends.
  std::byte* stack(uint64_t i) const {
    const auto rank = static_cast<uint64_t>(rma::rank());
    return rma::self().region +
           (rank * shape_.threads + i) * shape_.stack_bytes;
  }
  void offer(Context* thread) {
    std::byte* const base = reinterpret_cast<std::byte*>(thread);
    waiting_.push({rma::region_ptr(rma::rank(), base),
                   {base, static_cast<uint64_t>(end_ - base)}});
  }

  const Shape shape_;
  WaitingThreads waiting_;
  Context* scheduler_ = nullptr;
  // End of the running thread's stack.
  std::byte* end_ = nullptr;
};

static_assert(AddressScheme<IsoAddress>);

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_ADDRESSING_ISO_ADDRESS_H_
