// Finds out that a join will never end, since the task that it waits for is
// buried under it, here or through other ranks.
//
// A rank of run-to-completion threads goes on with what is innermost on its
// stack. While that is a join, the rank waits for the one that runs the task
// joined, which may wait in turn. Such a chain that comes back to the rank
// where it began has no end: each task on it lies on a stack below a join that
// waits for the next one. With fork-join alone there is none, since a task
// waits for its descendants only, which start later than it; with futures there
// may be.
//
// The ranks on a chain are asked one after the other, while they run. Their
// answers are a chain all the same where none of its tasks has ended by the
// time of a second look: a task that a rank had started before it was asked,
// and that has not ended since, was on its stack then, below the join that it
// named.
//
// Thread safety: belongs to one rank; blocked_ is read by others. Invariants:
//   1. blocked_ names the task of the innermost join while the rank does
//      nothing but wait there, and else no task: others see that before they
//      see that the rank has started something else.
//   2. An entry names the rank that has started its task, from then on or a
//      little later (Tasks::started); while the task lies in a queue,
//      whoever's, it names none. Nor does it where the task runs in the midst
//      of its own join, away from where it was spawned: no join waits for that.

#ifndef MAGPIE_IMPL_CHILD_STEAL_BURIALS_H_
#define MAGPIE_IMPL_CHILD_STEAL_BURIALS_H_

#include <cstddef>
#include <vector>

#include "common/fork_join/seam_types.h"
#include "common/rma/rma.h"

namespace magpie::child_steal {

class Burials {
 public:
  // Collective.
  Burials() : blocked_(rma::allocate<Blocked>(1, "blocked join")) { unblock(); }
  static size_t heap_bytes() { return rma::allocated_bytes<Blocked>(); }

  // Tells that the rank does nothing but wait at this join now; or that it does
  // something else. Cost: no operation.
  void block(const Handle& task) { tell(task); }
  void unblock() {
    tell(kNoTask);
    rma::Word::fence();  // invariant 1
  }

  // Whether the join on `task`, with which this rank is blocked, will never
  // end. `where(task)` is the rank that has started it, or -1 where it has not
  // started or has ended. Cost: for each rank on the chain where()'s and 1 get,
  // and that of where() once more.
  template <typename Where>
  bool is_for_ever(const Handle& task, Where where) const {
    std::vector<Handle> chain;
    Handle next = task;
    for (int at = where(next); at >= 0; at = where(next)) {
      chain.push_back(next);
      if (at == rma::rank()) return none_has_ended(chain, where);
      // A cycle that this rank is not on: others find it.
      if (chain.size() == static_cast<size_t>(rma::size())) return false;
      const Blocked blocked = rma::get(blocked_.at(at));
      next = {{blocked.w[0].load(), blocked.w[1].load()}};
      // A handle that is read while it changes may have one word of kNoTask.
      if (next.w[0] == kNoTask.w[0] || next.w[1] == kNoTask.w[1]) return false;
    }
    return false;
  }

 private:
  struct Blocked {
    rma::Word w[2];
  };

  template <typename Where>
  static bool none_has_ended(const std::vector<Handle>& chain, Where where) {
    for (const Handle& task : chain) {
      if (where(task) < 0) return false;
    }
    return true;
  }

  void tell(const Handle& task) {
    Blocked& mine = *blocked_.local();
    mine.w[0].store_relaxed(task.w[0]);
    mine.w[1].store_relaxed(task.w[1]);
  }

  const rma::RemotePtr<Blocked> blocked_;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_BURIALS_H_
