// Tasks that wait at a join for one that runs elsewhere, in the order in which
// they came (cluster22 §III-A, Fig. 3, line 16).
//
// Thread safety: belongs to one rank.

#ifndef MAGPIE_IMPL_CHILD_STEAL_WAIT_QUEUE_H_
#define MAGPIE_IMPL_CHILD_STEAL_WAIT_QUEUE_H_

#include <cstddef>

#include "common/context/context.h"
#include "common/fork_join/runtime.h"

namespace magpie::child_steal {

// A join that waits for `task`; lies in the frame of that join.
struct Waiting {
  Handle task;
  // Context in which it goes on.
  context::Context* context = nullptr;
  Waiting* next = nullptr;
};

class WaitQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  size_t size() const { return size_; }

  void push(Waiting* task) {
    task->next = nullptr;
    *last_ = task;
    last_ = &task->next;
    ++size_;
  }

  // REQUIRES: !empty().
  Waiting* pop() {
    Waiting* const task = first_;
    first_ = task->next;
    if (first_ == nullptr) last_ = &first_;
    --size_;
    return task;
  }

 private:
  Waiting* first_ = nullptr;
  Waiting** last_ = &first_;
  size_t size_ = 0;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_WAIT_QUEUE_H_
