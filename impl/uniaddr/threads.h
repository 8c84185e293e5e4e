// Uni-address threads: threads that run at the address where they were created,
// on any rank. They meet the concept ThreadLayer.
//
// A rank's region holds one lineage (lineage.h); the continuations in it lie in
// a stealable queue. A thread that waits is *evacuated*: its frames are copied
// to evacuation memory, from where any rank can copy them back to their address
// and go on.
//
// Source: hpdc15 §5 (Fig. 3 to 8), cluster22 §II-D (Fig. 2); the scheduler is
// hpdc15 Fig. 6 and cluster22's "resume scheduler" (Fig. 4, lines 35 and 48).
//
// Thread safety: belongs to one rank. Other ranks touch the queue, the
// region's frames that are in the queue, and evacuation memory.
//
// Invariants, beside lineage.h's:
//   1. Another thread is brought into the region only when the queue was found
//      to hold no continuation in place and is quiet: no thief is still
//      copying. `incoming_` is such a thread.
//   2. Code after a save_and_call may run on another rank than before it, where
//      another instance serves it: nothing after create_thread and suspend
//      uses `this`.
//   3. A parent's frames may leave as soon as it is in the queue: the child
//      reads nothing of them, and what it must know of its parent it keeps
//      itself.
//   4. A ready thread comes into the queue only where no continuation in place
//      is there, so it is older than all continuations in there. When the
//      owner pops it, it has popped these, and the region holds nothing but the
//      running thread.

#ifndef MAGPIE_IMPL_UNIADDR_THREADS_H_
#define MAGPIE_IMPL_UNIADDR_THREADS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/run/region.h"
#include "common/stealing/group.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/trace/scope.h"
#include "impl/uniaddr/lineage.h"
#include "impl/uniaddr/offered_threads.h"

namespace magpie::uniaddr {

template <StealableQueue Queue, RemoteHeap Heap, VictimSelection Victims>
class Threads {
  static_assert(
      !requires { requires !Queue::kTakesOne; },
      "a region holds one lineage: a steal takes one item (sws_queue::One)");

 public:
  using Context = context::Context;
  using SavedThread = uniaddr::SavedThread;

  struct Options {
    uint64_t region_bytes = kDefaultRegionBytes;
    uint64_t evacuation_bytes = 16 << 20;
    // Greatest number of ready threads in the queue at once; more wait until
    // these are gone.
    size_t ready_places = 1024;
    bool empty_check = true;
    SearchOptions search;

    // A continuation takes a saved context and at least two return addresses of
    // the region, so more than this many cannot lie in it one below the other.
    static constexpr size_t kMinFrameBytes = 80;
    QueueOptions queue() const {
      return {.capacity = region_bytes / kMinFrameBytes + ready_places,
              .empty_check = empty_check};
    }
    HeapOptions evacuation() const {
      return {.bytes = evacuation_bytes,
              .what = "the evacuation memory",
              .flag = "--evacuation_bytes"};
    }
  };

  static void add_options(CLI::App& app, Options& options) {
    add_region_bytes(app, options.region_bytes);
    flags::add_bytes(app, "--evacuation_bytes", options.evacuation_bytes,
                     "memory for the stacks of waiting threads, on each rank",
                     4 << 10, 1ull << 36);
    add_empty_check(app, options.empty_check);
    magpie::add_options(app, options.search);
    add_forced_steal(app, options.search);
  }

  static rma::SegmentLayout layout(const Options& options) {
    return {.region_bytes = options.region_bytes,
            .heap_bytes = Queue::heap_bytes(options.queue()) +
                          Heap::heap_bytes(options.evacuation()) +
                          Search<Victims>::heap_bytes() +
                          EndOfRun::heap_bytes(),
            .region_overflow = kRegionOverflow};
  }

  // Collective. `root` is the rank that runs the root.
  Threads(const Options& options, int root)
      : queue_(options.queue()),
        search_(options.search, Group::of_all(), root),
        root_(root),
        ready_(queue_, options.ready_places),
        evacuation_(options.evacuation()) {}

  // --------------------------------------------------------------------- spawn

  // Saves the running thread and calls start(parent, args...) below it, on the
  // same stack. Source: hpdc15 Fig. 4, create_thread, line 19; the lines named
  // below are those of the thread that it creates. Cost: no operation, and what
  // start does.
  template <typename... Args>
  [[gnu::always_inline]] static void create_thread(
      void (*start)(Context* parent, Args... args),
      std::type_identity_t<Args>... args) {
    context::save_and_call(start, args...);
  }

  // Offers the parent to thieves. Lines 2-7. Cost: the queue's push.
  [[gnu::always_inline]] void offer_parent(Context* parent) {
    const Frames frames = lineage_.frames_of(parent);
    lineage_.descend(frames);
    queue_.push(frames);
  }

  // Takes the parent back, if nobody else has. Line 14. Cost: the queue's pop.
  [[gnu::always_inline]] bool reclaim_parent(Context* parent) {
    const Item* const youngest = queue_.pop();
    if (youngest == nullptr) return false;
    if (!is_parent(*youngest, parent)) [[unlikely]]
      return has_no_parent(*youngest);
    lineage_.ascend(youngest->frames().end());
    return true;
  }
  // The same by the queue's fast path. Cost: none.
  [[gnu::always_inline]] bool reclaim_at_once(Context* parent) {
    Item youngest;
    const auto take_parent = [&](const Item& item) {
      copy_words(&youngest, &item);
      return is_parent(item, parent);
    };
    if (!pop_at_once(queue_, take_parent)) [[unlikely]]
      return false;
    lineage_.ascend(youngest.frames().end());
    return true;
  }

  bool hooks_spawns() const { return search_.hooks_spawns(); }
  void after_spawn() { search_.after_push(queue_); }

  // ------------------------------------------------------------------- suspend

  // Suspends the caller, unless it stays: then it frees its copy itself.
  // Source: hpdc15 Fig. 8 (suspend), cluster22 Fig. 4, line 44. Cost: no
  // operation.
  template <typename Stay>
  void suspend(Stay stay) {
    context::save_and_call([this, &stay](Context* thread) {
      const SavedThread saved = evacuate(thread);
      if (stay(saved)) {
        evacuation_.free(saved.frames);
      } else {
        go_on_without_it();
      }
    });
  }

  // Offers a thread to thieves, and to this rank's scheduler (invariant 4).
  // Cost: no operation.
  void make_ready(const SavedThread& thread) { ready_.add(thread); }

  // Ends the caller, when no thief copies what lies above it any more.
  [[noreturn]] void exit_to_scheduler() {
    queue_.quiesce();  // invariant 1
    lineage_.leave();
  }

  // Ends the caller and goes on with `next`. The copy overwrites the frames of
  // the caller, so it is done on the scheduler's stack. Source: cluster22 Fig.
  // 4, lines 38-40; hpdc15 Fig. 7, lines 10-14.
  [[noreturn]] void exit_to(const SavedThread& next) {
    check(bool{next.frames}, "a thread is left for nobody");
    incoming_ = next;
    exit_to_scheduler();
  }

  // ------------------------------------------------------------- the scheduler

  // Runs on the rank's ordinary stack, outside the region.
  template <ReadyThreads<SavedThread> Ready>
  void run(void (*root)(void* arg), void* arg, Ready& ready) {
    if (rma::rank() == root_) lineage_.start(root, arg);
    // Threads that this rank made ready come before the end: nobody else will
    // run them.
    const auto may_end = [&] {
      return ready.waiting() == 0 && ready_.empty() && end_.poll();
    };
    const auto stop = [&] { return bool{incoming_.frames} || may_end(); };
    while (incoming_.frames || !may_end()) {
      Item stolen;
      const auto attempt = [&](int victim) {
        const Outcome outcome = steal(victim, &stolen);
        if (outcome != Outcome::kTaken) ready.next(&incoming_);
        return outcome;
      };
      const auto in_a_hurry = [&] { return ready.waiting() > 0; };
      // On one rank there is nobody to steal from; and where none of those that
      // wait is ready, none ever will be.
      const size_t looks = rma::size() == 1 ? ready.waiting() : 0;
      if (incoming_.frames || ready_.take(&incoming_) ||
          next_of(ready, looks, &incoming_)) {
        lineage_.enter(bring_in(std::exchange(incoming_, {})));
      } else if (rma::size() == 1) {
        rma::fatal("deadlock: every task waits for another one");
      } else if (search_.until(stop, attempt, in_a_hurry)) {
        lineage_.enter(stolen.is_in_place() ? stolen.frames()
                                            : bring_in(stolen.thread()));
      }
    }
    rma::flush_all();
  }

  void end_run() { end_.announce(); }

  uint64_t live_threads() { return evacuation_.live_objects(); }
  SchedulerStats stats() const { return search_.stats() + stats_; }
  // Numbers of ready threads that this rank went on with: its own, and those of
  // others; and how often it left one in its queue, at the end of a thread that
  // has no parent there.
  OwnCounts own_counts() const {
    return {{"ready_threads_here", ready_.taken_here()},
            {"ready_threads_stolen", ready_stolen_},
            {"ready_threads_passed", ready_passed_}};
  }
  uint64_t region_bytes_max() const { return lineage_.bytes_max(); }

 private:
  static bool is_parent(const Item& item, const Context* parent) {
    return item.frames().frame_base ==
           reinterpret_cast<const std::byte*>(parent);
  }

  // Oldest first stealing and the order of the stack leave nothing but the
  // parent (cluster22 §III-A) or, where it is gone, ready threads.
  [[gnu::noinline]] bool has_no_parent(Item youngest) {
    if (youngest.is_in_place()) {
      rma::fatal(
          "internal error: a thread ended and found another than its parent in "
          "the queue");
    }
    ++ready_passed_;
    queue_.push(youngest);
    return false;
  }

  // One attempt: takes the oldest continuation of the victim and copies its
  // frames to the same address here; those of a ready thread, which may lie on
  // another rank, are brought in later. Source: hpdc15 Fig. 6. Cost: the
  // queue's, and 1 get.
  Outcome steal(int victim, Item* stolen) {
    return queue_.steal(queue_.remote(victim), [&](const auto& taken) {
      if (taken.size() != 1)
        rma::fatal("a region holds one lineage: a steal takes one item");
      *stolen = taken.front();
      if (stolen->is_in_place()) return copy_frames(victim, stolen->frames());
      ++ready_stolen_;
      trace::stole(stolen->thread().home.frame_bytes, stats_.stolen_bytes);
    });
  }

  void copy_frames(int victim, const Frames& frames) {
    trace::Scope scope;
    Lineage::use(frames);
    rma::get(frames.frame_base, rma::region_ptr(victim, frames.frame_base),
             frames.frame_bytes);
    scope.end(trace::Event::kTaskCopy, stats_.task_copy_ns,
              {.bytes = frames.frame_bytes, .rank = victim});
    trace::stole(frames.frame_bytes, stats_.stolen_bytes);
  }

  // Copies the frames of a saved thread to evacuation memory. hpdc15 Fig. 8,
  // lines 12-23.
  SavedThread evacuate(Context* thread) {
    trace::Phase phase;
    const Frames home = lineage_.frames_of(thread);
    std::byte* const copy = evacuation_.allocate(home.frame_bytes);
    std::copy(home.frame_base, home.frame_base + home.frame_bytes,
              rma::plain_write(copy, home.frame_bytes));
    rma::charge(cost::kCopyByte, home.frame_bytes);
    phase.end(trace::Event::kSuspend, {.bytes = home.frame_bytes});
    return {rma::heap_ptr(copy), home};
  }

  // Brings an evacuated thread's frames back to their address and frees the
  // copy. Cost: 1 get, and what the heap's free costs.
  Frames bring_in(const SavedThread& thread) {
    trace::Phase phase;
    Lineage::use(thread.home);
    rma::get(thread.home.frame_base, thread.frames, thread.home.frame_bytes);
    evacuation_.free(thread.frames);
    phase.end(trace::Event::kBringIn,
              {.bytes = thread.home.frame_bytes, .rank = thread.frames.rank});
    return thread.home;
  }

  // The running thread was suspended: the rank goes on with its nearest
  // ancestor in the region or, when there is none, in the scheduler. Source:
  // hpdc15 Fig. 7, lines 20-23.
  [[noreturn]] void go_on_without_it() {
    if (const Item* const youngest = queue_.pop()) {
      if (youngest->is_in_place()) lineage_.continue_at(youngest->frames());
      incoming_ = ready_.taken(*youngest);
    }
    exit_to_scheduler();
  }

  // First in the heap, on one page: the words that an idle rank polls, and
  // those that thieves look at.
  EndOfRun end_;
  Queue queue_;
  Lineage lineage_;
  Search<Victims> search_;
  const int root_;
  // Thread to be brought in by the scheduler, or none.
  SavedThread incoming_;
  OfferedThreads<Queue> ready_;
  uint64_t ready_stolen_ = 0;
  uint64_t ready_passed_ = 0;
  SchedulerStats stats_;
  // Large, and seldom needed.
  Heap evacuation_;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_THREADS_H_
