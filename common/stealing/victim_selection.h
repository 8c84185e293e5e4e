// Where to look for work next: the concept, and the simplest class that meets
// it. Its suite is victim_selection_suite.h.

#ifndef MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
#define MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_

#include <concepts>
#include <cstdint>

#include "common/stealing/group.h"

namespace magpie {

//   V(group, rank, seed)  Belongs to `rank`, a member of the group. Same
//                         arguments, same sequence.
//   next()                The next victim: any rank of the group but the own
//                         one. Every other one comes again and again, or a run
//                         may never end. REQUIRES: the group has two or more.
//                         Cost: no operation.
template <typename V>
concept VictimSelection =
    std::constructible_from<V, const Group&, int, uint64_t> &&
    requires(V victims) {
  { victims.next() } -> std::same_as<int>;
};

// Round robin, from the next member on.
class NextVictim {
 public:
  NextVictim(const Group& group, int rank, uint64_t /*seed*/)
      : group_(group),
        member_(group.member(rank)),
        victim_(group.member(rank)) {}

  int next() {
    do {
      victim_ = (victim_ + 1) % group_.size;
    } while (victim_ == member_);
    return group_.rank(victim_);
  }

 private:
  Group group_;
  // Numbers in the group: of the rank, and of the last victim.
  int member_;
  int victim_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
