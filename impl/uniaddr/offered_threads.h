// The ready threads that a rank offers in its queue, to thieves and to its own
// scheduler. The queue has a limited number of places for them; the others wait
// until these are gone.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. A thread waits only where all places are taken, or the queue is full.
//   2. The longest ready is offered first.

#ifndef MAGPIE_IMPL_UNIADDR_OFFERED_THREADS_H_
#define MAGPIE_IMPL_UNIADDR_OFFERED_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <list>

#include "common/stealing/stealable_queue.h"
#include "impl/uniaddr/item.h"

namespace magpie::uniaddr {

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
    for (Item youngest; offered_ > 0; offer()) {
      if (queue_.pop(&youngest)) {
        *thread = taken(youngest);
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
    --offered_;
    offer();
    ++taken_here_;
    return item.thread();
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
    if (Item last; queue_.pop(&last))
      queue_.push(last);
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
