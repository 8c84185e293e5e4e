// Items that a rank offers in its queue, to thieves and to its own scheduler: a
// continuation in place, or a ready thread that lies in evacuation memory, on
// whichever rank.
//
// Source: the first is hpdc15 Fig. 4, taskq_entry. The second is needed where
// several threads become ready at once (cluster22 §V-D), of which the rank can
// go on with one.

#ifndef MAGPIE_IMPL_UNIADDR_OFFERED_THREADS_H_
#define MAGPIE_IMPL_UNIADDR_OFFERED_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <list>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "impl/uniaddr/lineage.h"

namespace magpie::uniaddr {

// Place where an evacuated thread lies, and the place in the region where it
// belongs. Source: hpdc15 Fig. 8, saved_context_t.
struct SavedThread {
  rma::RemotePtr<std::byte> frames;
  Frames home = {};
};

// Two words: where a continuation's frames begin and end. A ready thread is
// packed into them with sizes in units of kUnit, of which all are multiples:
//
//     [ 1 | rank: 27 | frames' offset: 36 ][ home's offset: 32 | size: 32 ]
//
// The first bit is 0 in addresses of programs.
class Item {
 public:
  Item() = default;
  Item(const Frames& in_place)
      : words_{reinterpret_cast<uintptr_t>(in_place.frame_base),
               reinterpret_cast<uintptr_t>(in_place.frame_base) +
                   in_place.frame_bytes} {}
  // REQUIRES: its place is in reach of the packed form: ranks below 2^27,
  // segments of at most 2^40 bytes, regions below 2^36.
  explicit Item(const SavedThread& ready) {
    const auto home =
        static_cast<uint64_t>(ready.home.frame_base - rma::self().region);
    words_[0] = kReady | static_cast<uint64_t>(ready.frames.rank) << 36 |
                ready.frames.offset / kUnit;
    words_[1] = home / kUnit << 32 | ready.home.frame_bytes / kUnit;
    check(thread().frames == ready.frames &&
              thread().home.frame_base == ready.home.frame_base &&
              thread().home.frame_bytes == ready.home.frame_bytes,
          "a ready thread is not where an item can say");
  }

  bool is_in_place() const { return (words_[0] & kReady) == 0; }
  // REQUIRES: is_in_place().
  Frames frames() const {
    return {reinterpret_cast<std::byte*>(words_[0]), words_[1] - words_[0]};
  }
  // REQUIRES: !is_in_place().
  SavedThread thread() const {
    return {{static_cast<int32_t>((words_[0] & ~kReady) >> 36),
             (words_[0] & kOffset) * kUnit},
            {rma::self().region + (words_[1] >> 32) * kUnit,
             (words_[1] & 0xffffffff) * kUnit}};
  }

 private:
  static constexpr uint64_t kUnit = 16;
  static constexpr uint64_t kReady = uint64_t{1} << 63;
  static constexpr uint64_t kOffset = (uint64_t{1} << 36) - 1;

  uint64_t words_[2];
};

// The ready threads that a rank offers. The queue has a limited number of
// places for them; the others wait until these are gone.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. A thread waits only where all places are taken, or the queue is full.
//   2. The longest ready is offered first.
template <StealableQueue Queue>
class OfferedThreads {
 public:
  // `queue` outlives it.
  OfferedThreads(Queue& queue, size_t places)
      : queue_(queue), places_(places) {}

  // Offers a thread. REQUIRES, of all that may push: the queue may hold ready
  // threads now (threads.h, 4).
  void add(const SavedThread& thread) {
    waiting_.push_back(thread);
    offer();
  }

  // Whether there is no ready thread, as far as this rank has seen.
  bool empty() const { return offered_ == 0 && waiting_.empty(); }

  // Takes one of the ready threads, in the queue where there is one. False:
  // thieves have them all. Cost: the queue's pop; none where it is empty().
  bool take(SavedThread* thread) {
    for (; offered_ > 0; offer()) {
      if (const Item* const youngest = queue_.pop()) {
        *thread = taken(*youngest);
        return true;
      }
      offered_ = 0;
    }
    if (waiting_.empty()) return false;
    *thread = waiting_.front();
    waiting_.pop_front();
    ++taken_here_;
    return true;
  }

  // The ready thread of an item that was popped.
  SavedThread taken(const Item& item) {
    const SavedThread thread = item.thread();
    --offered_;
    offer();
    ++taken_here_;
    return thread;
  }

  // Number of ready threads that this rank has taken back.
  uint64_t taken_here() const { return taken_here_; }

 private:
  // Puts as many into the queue as there are places for.
  void offer() {
    if (offered_ == places_ && queue_.empty()) look_again();
    for (; offered_ < places_ && !waiting_.empty() && !queue_.full();
         ++offered_) {
      queue_.push(Item(waiting_.front()));
      waiting_.pop_front();
    }
  }

  // The queue looks empty, also where a thief has only begun to take the last
  // item. A pop in vain makes room where thieves have had everything.
  [[gnu::noinline]] void look_again() {
    if (const Item* const last = queue_.pop())
      queue_.push(Item(*last));
    else
      offered_ = 0;
  }

  Queue& queue_;
  const size_t places_;
  // Number of threads in the queue; more, where thieves have taken some and the
  // rank has not seen since that it is empty.
  size_t offered_ = 0;
  std::list<SavedThread> waiting_;
  uint64_t taken_here_ = 0;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_OFFERED_THREADS_H_
