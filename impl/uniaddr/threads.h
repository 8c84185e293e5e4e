// Uni-address threads: threads that run at the address where they were created,
// on any rank.
//
// One region of addresses is the same on all ranks (rma::Self::region). It is
// one stack, growing down, and holds one *lineage*: the running thread at the
// lowest address, above it those of its ancestors whose continuations are still
// here. A thread that waits is *evacuated*: its frames are copied to evacuation
// memory, from where any rank can copy them back to their address and go on.
//
//     region end   +------------------+
//                  | root             |  in the queue, oldest: the next to be
//                  stolen
//                  +------------------+
//                  | its child        |  in the queue
//                  +------------------+
//     top_     ->  | running thread   |
//                  |   |              |
//                  |   v              |
//     region begin +------------------+
//                    guard page
//
// Source: hpdc15 §5 (Fig. 3 to 8), cluster22 §II-D (Fig. 2). The scheduler's
// side is in scheduler.h.
//
// Thread safety: belongs to one rank. What other ranks touch is the queue, the
// region's frames that are in the queue, and evacuation memory; for these see
// the_queue.h and the RemoteHeap.
//
// Invariants:
//   1. The running thread has the lowest frames of the region: [stack pointer,
//      top_).
//   2. Frames in the queue lie above top_, the youngest lowest. They do not
//      overlap.
//   3. Another thread is brought into the region only when the queue was found
//      empty under its lock (TheQueue invariant 6): the region is empty then.
//      `incoming_` is such a thread.
//   4. Code behind a save_and_call may run on another rank than before it. It
//      reads self() again.
//   5. A parent's frames may leave as soon as it is in the queue: the child
//      reads nothing of them, and what it must know of its parent it keeps
//      itself.

#ifndef MAGPIE_IMPL_UNIADDR_THREADS_H_
#define MAGPIE_IMPL_UNIADDR_THREADS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/context/context.h"
#include "common/fork_join/report.h"
#include "common/rma/rma.h"
#include "impl/uniaddr/concepts.h"
#include "impl/uniaddr/options.h"

namespace magpie::uniaddr {

// Where an evacuated thread lies, and where it belongs. Source: hpdc15 Fig. 8,
// saved_context_t.
struct SavedThread {
  rma::RemotePtr<std::byte> frames;  // the copy
  TaskqEntry home = {};              // where in the region it belongs
};

template <StealableQueue Queue, RemoteHeap Heap>
class Threads {
 public:
  using Context = context::Context;
  using SavedThread = uniaddr::SavedThread;
  using Options = uniaddr::Options;

  // Collective. REQUIRES: options have been checked against the segment's
  // layout.
  explicit Threads(const Options& options)
      : queue_(options.queue_capacity()),
        evacuation_(options.evacuation_bytes, "the evacuation memory",
                    "--evacuation_bytes"),
        forced_steal_(options.forced_steal && rma::size() > 1),
        searching_(rma::allocate<rma::Word>().at(0)),
        lowest_(region_end()) {
    rma::self().local = this;
    hooked_spawn_ = forced_steal_ || rma::self().poll_at_spawn;
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // The calling rank's.
  static Threads& self() { return *static_cast<Threads*>(rma::self().local); }

  // ------------------------------------------------------------------------------
  // spawn

  // Saves the running thread and calls child(context, args...) below it, on the
  // same stack. `child` calls begin_child once it has copied what it needs of
  // the parent, and end_child at its end. Source: hpdc15 Fig. 4, create_thread.
  // Cost: no operation.
  template <typename... Args>
  static void fork(void (*child)(Context* parent, Args...),
                   std::type_identity_t<Args>... args) {
    context::save_and_call(child, args...);
  }

  // Offers the parent to thieves. hpdc15 Fig. 4, lines 2-10.
  [[gnu::always_inline]] void begin_child(Context* parent) {
    const TaskqEntry entry = frames_from(parent);
    queue_.push(entry);
    top_ = entry.frame_base;
    if (top_ < lowest_) [[unlikely]]
      lowest_ = top_;
    if (hooked_spawn_) [[unlikely]]
      after_push();
  }

  // Takes the parent back. True: it is still here, was seen by nobody, and goes
  // on when the child returns. False: it was stolen, and the region is empty
  // but for the child, which leaves by one of the functions below. hpdc15 Fig.
  // 4, lines 13-15.
  [[gnu::always_inline]] bool end_child(Context* parent) {
    TaskqEntry entry;
    if (!queue_.pop(&entry)) [[unlikely]]
      return false;
    // Oldest first stealing and the order of the stack leave no other
    // (cluster22 §III-A).
    if (entry.frame_base != reinterpret_cast<std::byte*>(parent)) [[unlikely]] {
      not_the_parent();
    }
    top_ = entry.frame_base + entry.frame_bytes;
    return true;
  }

  // ------------------------------------------------------------------------------
  // suspend

  // Suspends the running thread: saves it, evacuates it, and calls stay(saved)
  // below it. When stay returns true, the thread goes on in place and its copy
  // is freed; otherwise whoever knows `saved` may already have resumed it
  // anywhere, and this rank turns to other work. Source: hpdc15 Fig. 8
  // (suspend), cluster22 Fig. 4, line 44. Cost: no operation.
  template <typename Stay>
  static void suspend(Stay stay) {
    void (*below)(Context*, Stay*) = [](Context* thread, Stay* stay) {
      Threads& threads = self();
      const SavedThread saved = threads.evacuate(thread);
      if ((*stay)(saved)) {
        threads.evacuation_.free(saved.frames);
      } else {
        threads.leave();
      }
    };
    context::save_and_call(below, &stay);
  }

  // Turns to other work, never to return: to the next ancestor in the region
  // or, when there is none, to the scheduler. REQUIRES: the running thread has
  // ended, or is evacuated and may be resumed by somebody else. Source: hpdc15
  // Fig. 7, lines 20-23.
  [[noreturn]] void leave() {
    TaskqEntry ancestor;
    if (queue_.pop(&ancestor)) continue_at(ancestor);
    leave_empty_region();
  }

  // As leave, when the queue has already been found empty.
  [[noreturn]] void leave_empty_region() { context::resume(scheduler_); }

  // Ends the running thread and goes on with an evacuated one, whose copy is
  // freed. REQUIRES: end_child returned false. Source: cluster22 Fig. 4, lines
  // 38-40; hpdc15 Fig. 7, lines 10-14: the copy overwrites the frames of the
  // caller, so it is done on the scheduler's stack.
  [[noreturn]] void leave_for(const SavedThread& next) {
    incoming_ = next;
    incoming_since_ = rma::now();
    leave_empty_region();
  }

  SchedulerStats& stats() { return stats_; }
  Heap& evacuation() { return evacuation_; }

 protected:
  static std::byte* region_end() {
    return rma::self().region + rma::self().region_bytes;
  }

  // Copies the frames of a saved thread to evacuation memory. hpdc15 Fig. 8,
  // lines 12-23.
  SavedThread evacuate(Context* thread) {
    const TaskqEntry frames = frames_from(thread);
    SavedThread saved = {
        evacuation_.allocate(frames.frame_bytes, alignof(std::max_align_t)),
        frames};
    std::copy(frames.frame_base, frames.frame_base + frames.frame_bytes,
              saved.frames.local());
    rma::charge(rma::Cost::kCopyByte, frames.frame_bytes);
    ++stats_.outstanding_joins;
    return saved;
  }

  // Brings an evacuated thread's frames back to their address and frees the
  // copy. Invariant 3 holds, and this runs on the scheduler's stack. Cost: 1
  // get, and what the heap's free costs.
  void bring_in(const SavedThread& thread) {
    use_region(thread.home);
    rma::get(thread.home.frame_base, thread.frames, thread.home.frame_bytes);
    evacuation_.free(thread.frames);
  }

  // Runs a thread that lies in the region until this rank has nothing left of
  // its lineage.
  void enter(const TaskqEntry& thread) {
    lowest_ = std::min(lowest_, thread.frame_base);
    rma::charge(rma::Cost::kContextSwitch);
    void (*below)(Context*, const TaskqEntry*) = [](Context* scheduler,
                                                    const TaskqEntry* thread) {
      self().scheduler_ = scheduler;
      self().continue_at(*thread);
    };
    context::save_and_call(below, &thread);
    rma::leave_region();
  }

  // The region, which is empty, will hold this thread and what is below it.
  static void use_region(const TaskqEntry& thread) {
    rma::use_region(thread.frame_base, thread.frame_base + thread.frame_bytes);
  }

  [[noreturn, gnu::noinline]] static void not_the_parent() {
    rma::fatal(
        "internal error: a thread ended and found another than its parent in "
        "the queue");
  }

  // The frames of the running thread, from its context.
  TaskqEntry frames_from(Context* context) const {
    std::byte* const base = reinterpret_cast<std::byte*>(context);
    return {base, static_cast<uint64_t>(top_ - base)};
  }

  // Makes a thread whose frames lie in the region the running one. Whoever does
  // so sets top_: invariant 1.
  [[noreturn]] void continue_at(TaskqEntry thread) {
    top_ = thread.frame_base + thread.frame_bytes;
    context::resume(reinterpret_cast<Context*>(thread.frame_base));
  }

  // For tests (--forced_steal): the parent leaves where a thief can be had. A
  // rank counts as searching until it has found something, so whoever waits
  // here is found, or the searchers find other work.
  [[gnu::noinline]] void after_push() {
    if (rma::self().poll_at_spawn) rma::poll();
    if (!forced_steal_) return;
    while (!queue_.empty() && rma::get_word(searching_) > 0) rma::idle();
  }

  Queue queue_;
  Heap evacuation_;
  const bool forced_steal_;
  const rma::RemotePtr<rma::Word>
      searching_;  // on rank 0: ranks that look for work (--forced_steal)
  bool hooked_spawn_ = false;
  Context* scheduler_ = nullptr;  // goes on when the lineage is at its end
  std::byte* top_ = nullptr;      // end of the running thread's frames
  std::byte* lowest_;             // the lowest frame so far
  SavedThread incoming_;          // to be brought in by the scheduler, or none
  uint64_t incoming_since_ = 0;
  SchedulerStats stats_;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_THREADS_H_
