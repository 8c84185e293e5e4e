// How all ranks of a group learn that the run is over, when one of them knows.
//
// The root task may end on any rank. That rank tells the root of a tree over
// the group, which tells the others down the tree, so that nobody is asked by
// all.
//
// Thread safety: an instance belongs to one rank; `over_` is put by others.
// Invariants:
//   1. `over_` is 0, and 1 once the run is over; nobody sets it back.
//   2. A rank that knows has told its children in the tree.

#ifndef MAGPIE_COMMON_STEALING_END_OF_RUN_H_
#define MAGPIE_COMMON_STEALING_END_OF_RUN_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/group.h"

namespace magpie {

class EndOfRun {
 public:
  // Collective, over all ranks; the instance of a rank that is not of the group
  // is never asked.
  explicit EndOfRun(const Group& group = Group::of_all())
      : group_(group), over_(rma::allocate<rma::Word>()) {}

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Ends the run on all ranks of the group, from any. Cost: 1 put.
  void announce() { tell(GroupTree(group_).root()); }

  // Whether the run is over; who finds that it is passes it on. To be asked
  // again and again. Cost: no operation; once, up to 2 puts.
  bool poll() {
    if (known_) return true;
    if (over_.local()->load() == 0) return false;
    known_ = true;
    const GroupTree tree(group_);
    for (int i = 0; i < tree.children(); ++i) tell(tree.child(i));
    return true;
  }

 private:
  void tell(int rank) {
    rma::put_word(over_.at(rank), 1);
    rma::flush(rank);
  }

  const Group group_;
  const rma::RemotePtr<rma::Word> over_;
  bool known_ = false;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_END_OF_RUN_H_
