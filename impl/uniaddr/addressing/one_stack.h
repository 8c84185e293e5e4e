// The crude form of uni-address: one stack, at the same address on all ranks,
// in which the running thread lies, and no other. Those that wait lie in memory
// that thieves can read, at any address.
//
//     region end   +----------------+     memory of waiting threads
//                  | running thread | <-- copied in   [ oldest | ... | free ]
//                  |   |            | --> copied out
//                  |   v            |
//     region begin +----------------+
//
// Each switch between threads of a rank copies both. A steal copies once, into
// pages that are in use already.
//
// Source: hpdc15 §5.1.
//
// Thread safety: belongs to one rank. Thieves copy what waits.

#ifndef MAGPIE_IMPL_UNIADDR_ADDRESSING_ONE_STACK_H_
#define MAGPIE_IMPL_UNIADDR_ADDRESSING_ONE_STACK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "impl/uniaddr/addressing/scheme.h"
#include "impl/uniaddr/item.h"

namespace magpie::uniaddr {

class OneStack {
 public:
  using Context = context::Context;
  static constexpr char kName[] = "one stack";

  static uint64_t region_bytes(const Shape& shape) { return shape.stack_bytes; }
  static uint64_t waiting_bytes(const Shape& shape) {
    return shape.threads * shape.frames_bytes;
  }

  explicit OneStack(const Shape& shape)
      : waiting_(shape),
        copies_(rma::allocate_bytes(waiting_bytes(shape), kAlign)) {}

  void start(void (*root)(void*), void* arg) {
    waiting_.clear();
    begin(root, arg);
    while (next_.frames) run(std::exchange(next_, {}));
  }

  void spawn(void (*child)(void*), void* arg) {
    context::save_and_call([this, child, arg](Context* parent) {
      copy_out(parent);
      child_ = child;
      arg_ = arg;
      // The child runs over the parent's frames.
      context::start_on_stack(region_end(), &run_child, this);
    });
  }

  void wait() {
    context::save_and_call([this](Context* thread) {
      copy_out(thread);
      leave();
    });
  }

  [[noreturn]] void leave() { context::resume(scheduler_); }

  const WaitingThreads& waiting() const { return waiting_; }

  void run(const SavedThread& thread) {
    const Frames& home = thread.home;
    rma::use_region(home.frame_base, region_end());
    rma::get(home.frame_base, thread.frames, home.frame_bytes);
    copied_ += home.frame_bytes;
    context::save_and_call([this, &home](Context* scheduler) {
      scheduler_ = scheduler;
      context::resume(reinterpret_cast<Context*>(home.frame_base));
    });
    rma::leave_region();
  }

  uint64_t copied_bytes() const { return copied_; }

 private:
  static constexpr size_t kAlign = alignof(std::max_align_t);

  static std::byte* region_end() {
    return rma::self().region + rma::self().region_bytes;
  }

  void begin(void (*root)(void*), void* arg) {
    rma::use_region(region_end(), region_end());
    context::save_and_call([this, root, arg](Context* scheduler) {
      scheduler_ = scheduler;
      context::start_on_stack(region_end(), root, arg);
    });
    rma::leave_region();
  }

  // Runs the child. The parent comes in over the frames of the child, so the
  // scheduler, which is on another stack, brings it in.
  static void run_child(void* one_stack) {
    OneStack& here = *static_cast<OneStack*>(one_stack);
    here.child_(here.arg_);
    here.next_ = here.waiting_.pop();
    here.leave();
  }

  void copy_out(Context* thread) {
    std::byte* const base = reinterpret_cast<std::byte*>(thread);
    const Frames home = {base, static_cast<uint64_t>(region_end() - base)};
    rma::RemotePtr<std::byte> copy = copies_;
    if (waiting_.size() > 0) {
      const SavedThread& last = waiting_.youngest();
      copy = last.frames + last.home.frame_bytes;
    }
    std::copy(base, base + home.frame_bytes, copy.local());
    copied_ += home.frame_bytes;
    waiting_.push({copy, home});
  }

  WaitingThreads waiting_;
  const rma::RemotePtr<std::byte> copies_;
  Context* scheduler_ = nullptr;
  // Thread to be brought in by the scheduler, or none.
  SavedThread next_;
  // What the new thread runs.
  void (*child_)(void*) = nullptr;
  void* arg_ = nullptr;
  uint64_t copied_ = 0;
};

static_assert(AddressScheme<OneStack>);

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_ADDRESSING_ONE_STACK_H_
